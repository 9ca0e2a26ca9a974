"""Patterns of the common regex subset as Python's, of the same meaning under `re.ASCII`.

In: an RE2-like pattern. Out: the pattern for `re`.
Never: a pattern outside the subset (lowering has refused it).
"""

from __future__ import annotations

from collections.abc import Iterator

# For Python a vertical tab is a space too, and so are some control characters.
_SPACES = r"\t\n\f\r "


def python_pattern(pattern: str) -> str:
    return "".join(_translated(pattern))


def _translated(pattern: str) -> Iterator[str]:
    in_class = False
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            yield _escape(pattern[position : position + 2], in_class)
            position += 2
            continue
        position += 1
        yield r"\Z" if char == "$" and not in_class else char  # `$` is the end of the text, not of its last line
        in_class = char == "[" or (in_class and char != "]")


def _escape(escape: str, in_class: bool) -> str:
    match escape:
        case r"\s":
            return _SPACES if in_class else f"[{_SPACES}]"
        case r"\S" if not in_class:
            return f"[^{_SPACES}]"
        case _:
            return escape
