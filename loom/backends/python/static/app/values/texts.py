"""Text functions, counted in code points."""

from __future__ import annotations

from collections.abc import Iterable

WHITE_SPACE = " \t\n\r\f\v"


def trim(text: str) -> str:
    return text.strip(WHITE_SPACE)


def substring(text: str, start: int, length: int | None = None) -> str:
    """Zero-based; a start or a length outside the text is clamped."""
    first = max(start, 0)
    last = len(text) if length is None else first + max(length, 0)
    return text[first:last]


def split(text: str, separator: str) -> list[str]:
    """The pieces between separators; with an empty one, every character."""
    return text.split(separator) if separator else list(text)


def contains(text: str, part: str) -> bool:
    return part in text


def joined(texts: Iterable[str], separator: str) -> str:
    return separator.join(texts)


def bool_text(value: bool) -> str:
    return "true" if value else "false"
