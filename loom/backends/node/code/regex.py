"""Patterns of the common regex subset as JavaScript literals of the same meaning.

In: an RE2-like pattern. Out: a literal with the `u` flag.
Never: a pattern outside the subset (lowering has refused it).
"""

from __future__ import annotations

from loom.emit.patterns import Piece, pieces

# In the subset these are ASCII, and a dot is anything but a line feed.
_CLASSES = {"s": "\\t\\n\\f\\r ", "w": "0-9A-Za-z_"}
# What ends a line, and what the layout marks a place by.
_BREAKS = {"\n": "\\n", "\r": "\\r", "\u2028": "\\u2028", "\u2029": "\\u2029", "\ue000": "\\ue000"}
_CLASS_SYNTAX = frozenset("\\]^-")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


def javascript_regex(pattern: str) -> str:
    """`pattern` between slashes."""
    return f"/{''.join(map(_spelled, pieces(pattern)))}/u"


def _spelled(piece: Piece) -> str:
    match piece:
        case Piece("/", False):
            return "\\/"
        case Piece(".", False):
            return "[^\\n]"
        case Piece(text, in_class) if len(text) > 1:
            return _escape(text[1], in_class)
        case _:
            return _BREAKS.get(piece.text, piece.text)


def _escape(char: str, in_class: bool) -> str:
    if char in ("s", "w"):
        return _CLASSES[char] if in_class else f"[{_CLASSES[char]}]"
    if char == "S" and not in_class:
        return f"[^{_CLASSES['s']}]"
    if char in (_CLASS_SYNTAX if in_class else _SYNTAX) or char in "dDWbBnrtfv":
        return f"\\{char}"
    return char
