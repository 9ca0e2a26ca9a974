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
    match data:
        case str():
            return encode_basestring(data)
        case dict():
            inside = indent + 2
            inner = [
                f"{encode_basestring(name)}: "
                + (encode_basestring(value) if type(value) is str else json_text(value, inside))
                for name, value in data.items()
            ]
            return _wrapped("{", inner, "}", indent)
        case list():
            return _wrapped("[", [json_text(value, indent + 2) for value in data], "]", indent)
        case bool():
            return "true" if data else "false"
        case None:
            return "null"
        case int():
            return str(data)


def _wrapped(opening: str, parts: list[str], closing: str, indent: int) -> str:
    flat = ", ".join(parts)
    # With its brackets, or with the two signs that end its last part.
    if len(flat) + 2 * bool(parts) + indent <= WIDTH and "\n" not in flat:
        return opening + flat + closing
    pad = " " * (indent + 2)
    return f"{opening}\n{pad}" + f",\n{pad}".join(parts) + f"\n{' ' * indent}{closing}"
