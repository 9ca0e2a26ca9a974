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


class Shared(dict[str, Json]):
    """An object that stands in many places of documents, so that nobody changes it: its text is made once an indent."""

    __slots__ = ("texts",)

    def __init__(self, members: Mapping[str, Json]) -> None:
        super().__init__(members)
        self.texts: dict[int, str] = {}


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
    if isinstance(data, Shared):
        return data.texts.get(indent) or data.texts.setdefault(indent, _container(data, indent))
    return _container(data, indent)


def _container(data: Json, indent: int) -> str:
    inside, scalar = indent + 2, _SCALARS.get
    if isinstance(data, dict):
        members = [
            f"{encode_basestring(name)}: {write(value) if (write := scalar(type(value))) else json_text(value, inside)}"
            for name, value in data.items()
        ]
        return _wrapped("{", members, "}", indent)
    assert isinstance(data, list)
    items = [write(value) if (write := scalar(type(value))) else json_text(value, inside) for value in data]
    return _wrapped("[", items, "]", indent)


def _wrapped(opening: str, parts: list[str], closing: str, indent: int) -> str:
    # With a comma and a space, or the brackets, for each part. What is far too long is not even joined.
    if sum(map(len, parts)) + 2 * len(parts) + indent <= WIDTH and "\n" not in (flat := ", ".join(parts)):
        return f"{opening}{flat}{closing}"
    pad = "\n" + " " * (indent + 2)
    return f"{opening}{pad}{f',{pad}'.join(parts)}\n{' ' * indent}{closing}"
