"""JSON as people read it: what fits on a line stays on one.

In: plain data. Out: text, the same for the same data.
Never: sorting (the order of members is part of what is said).
"""

from __future__ import annotations

from json.encoder import encode_basestring

Json = str | int | bool | None | list["Json"] | dict[str, "Json"]

WIDTH = 100


def json_text(data: Json, indent: int = 0) -> str:
    """`data` with everything after the first line indented by `indent`."""
    # The commonest first: documents of megabytes pass here.
    if isinstance(data, str):
        return encode_basestring(data)
    if isinstance(data, dict):
        inside = indent + 2
        members = [
            f"{encode_basestring(name)}: "
            f"{encode_basestring(value) if isinstance(value, str) else json_text(value, inside)}"
            for name, value in data.items()
        ]
        return _wrapped("{", members, "}", indent)
    if isinstance(data, list):
        return _wrapped("[", [json_text(value, indent + 2) for value in data], "]", indent)
    if isinstance(data, bool):
        return "true" if data else "false"
    return "null" if data is None else str(data)


def _wrapped(opening: str, parts: list[str], closing: str, indent: int) -> str:
    flat = ", ".join(parts)
    # With its brackets, or with the two signs that end its last part.
    if len(flat) + 2 * bool(parts) + indent <= WIDTH and "\n" not in flat:
        return f"{opening}{flat}{closing}"
    pad = "\n" + " " * (indent + 2)
    return f"{opening}{pad}{f',{pad}'.join(parts)}\n{' ' * indent}{closing}"
