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


def is_blank(text: str) -> bool:
    return not trim(text)


def is_present(text: str) -> bool:
    return not is_blank(text)


def truncate(text: str, length: int) -> str:
    return text[: max(length, 0)]
