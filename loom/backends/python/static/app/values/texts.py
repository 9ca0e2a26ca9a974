"""Text functions, counted in code points."""

from __future__ import annotations

WHITE_SPACE = " \t\n\r\f\v"


def trim(text: str) -> str:
    return text.strip(WHITE_SPACE)


def substring(text: str, start: int, length: int | None = None) -> str:
    """Zero-based; a start or a length outside the text is clamped."""
    first = max(start, 0)
    last = len(text) if length is None else first + max(length, 0)
    return text[first:last]


def replaced(text: str, old: str, new: str) -> str:
    """Every occurrence of `old` replaced; of an empty text there are none."""
    return text.replace(old, new) if old else text


def split(text: str, separator: str) -> list[str]:
    """The pieces between separators; with an empty one, every character."""
    return text.split(separator) if separator else list(text)


def bool_text(value: bool) -> str:
    return "true" if value else "false"
