"""JSON as people read it: what fits on a line stays on one.

In: plain data. Out: text, the same for the same data.
Never: sorting (the order of members is part of what is said).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any

Json = str | int | bool | None | list["Json"] | dict[str, "Json"]

WIDTH = 100


class Written(str):
    """What is text already, made for the place where it stands."""

    __slots__ = ()


_SCALARS: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    bool: {False: "false", True: "true"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
    Written: str,
}


def json_text(data: Json, indent: int = 0) -> str:
    """`data` with everything after the first line indented by `indent`."""
    # Documents of megabytes pass here: most of what they hold is written without a call of this.
    if write := _SCALARS.get(type(data)):
        return write(data)
    inside = indent + 2
    if isinstance(data, dict):
        scalar = _SCALARS.get
        members = [
            f"{encode_basestring(name)}: {write(value) if (write := scalar(type(value))) else json_text(value, inside)}"
            for name, value in data.items()
        ]
        return _wrapped("{", members, "}", indent)
    assert isinstance(data, list)
    return _wrapped("[", [json_text(value, inside) for value in data], "]", indent)


def _wrapped(opening: str, parts: list[str], closing: str, indent: int) -> str:
    flat = ", ".join(parts)
    # With its brackets, or with the two signs that end its last part.
    if len(flat) + 2 * bool(parts) + indent <= WIDTH and "\n" not in flat:
        return f"{opening}{flat}{closing}"
    pad = "\n" + " " * (indent + 2)
    return f"{opening}{pad}{f',{pad}'.join(parts)}\n{' ' * indent}{closing}"
