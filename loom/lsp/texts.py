"""Offsets of the compiler and positions of an editor, which may count in other units.

In: a text and the editor's encoding. Out: positions, offsets, ranges.
Never: a name.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from lsprotocol.types import Position, PositionEncodingKind, Range

_UNIT = {PositionEncodingKind.Utf8: ("utf-8", 1), PositionEncodingKind.Utf16: ("utf-16-le", 2)}


class Text:
    """One file's text; offsets count code points."""

    def __init__(self, text: str, encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16) -> None:
        self.text = text
        self._codec = _UNIT.get(PositionEncodingKind(encoding))

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(index + 1 for index, character in enumerate(self.text) if character == "\n")]

    def position(self, offset: int) -> Position:
        line = bisect_right(self._lines, offset) - 1
        return Position(line, self._units(self.text[self._lines[line] : offset]))

    def offset(self, position: Position) -> int:
        """The end of the line, or of the text, for a position behind it."""
        if position.line >= len(self._lines):
            return len(self.text)
        start = self._lines[position.line]
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)]
        if self._codec is None:
            return start + min(position.character, len(line))
        name, size = self._codec
        return start + len(line.encode(name)[: position.character * size].decode(name, "ignore"))

    def range(self, start: int, end: int) -> Range:
        return Range(self.position(start), self.position(end))

    def _units(self, text: str) -> int:
        if self._codec is None:
            return len(text)
        name, size = self._codec
        return len(text.encode(name)) // size
