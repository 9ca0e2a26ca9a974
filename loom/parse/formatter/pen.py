"""Text as it is being written, and the column at which it stands.

In: texts and line breaks. Out: one text.
Never: a decision.
"""

from __future__ import annotations

WIDTH = 110
STEP = 4


class Pen:
    """`base` is the indentation of the first line, which is there already; `indent` that of the current one."""

    def __init__(self, base: int) -> None:
        self.base = self.indent = self.column = base
        self._parts: list[str] = []

    def write(self, text: str) -> None:
        self._parts.append(text)
        lines = text.rpartition("\n")
        self.column = len(lines[2]) if lines[1] else self.column + len(text)

    def line(self, indent: int) -> None:
        self.lines(1, indent)

    def lines(self, number: int, indent: int) -> None:
        """One line break, and a blank line where there was at least one."""
        self._parts.append("\n" * min(number, 2) + " " * indent)
        self.indent = self.column = indent

    def text(self) -> str:
        return "".join(self._parts)
