"""Patterns of the common regex subset as JavaScript literals of the same meaning.

In: an RE2-like pattern. Out: a literal with the `u` flag.
Never: a pattern outside the subset (lowering has refused it).
"""

from __future__ import annotations

from collections.abc import Iterator

# In the subset these are ASCII, and a dot is anything but a line feed.
_CLASSES = {"s": "\\t\\n\\f\\r ", "d": "0-9", "w": "0-9A-Za-z_"}
# What ends a line, and what the layout marks a place by.
_BREAKS = {"\n": "\\n", "\r": "\\r", "\u2028": "\\u2028", "\u2029": "\\u2029", "\ue000": "\\ue000"}
_CLASS_SYNTAX = frozenset("\\]^-")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


def javascript_regex(pattern: str) -> str:
    """`pattern` between slashes."""
    return f"/{''.join(_translated(pattern))}/u"


def _translated(pattern: str) -> Iterator[str]:
    in_class = False
    position = 0
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if char == "\\" and position < len(pattern):
            yield _escape(pattern[position], in_class)
            position += 1
            continue
        in_class = char == "[" or (in_class and char != "]")
        yield _plain(char, in_class)


def _plain(char: str, in_class: bool) -> str:
    if char in _BREAKS:
        return _BREAKS[char]
    if char == "/" and not in_class:
        return "\\/"
    if char == "." and not in_class:
        return "[^\\n]"
    return char


def _escape(char: str, in_class: bool) -> str:
    if char in ("s", "w"):
        return _CLASSES[char] if in_class else f"[{_CLASSES[char]}]"
    if char == "S" and not in_class:
        return f"[^{_CLASSES['s']}]"
    if char in (_CLASS_SYNTAX if in_class else _SYNTAX) or char in "dDWbBnrtfv":
        return f"\\{char}"
    return char
