"""Diagnostics as text: code, message, place, excerpt with caret, help.

In: diagnostics, the files' texts and origins. Out: one text, the same for the same input.
Never: a colour, a width of the terminal, a file read.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from loom.base import Diagnostic, Position, split_path
from loom.parse.lexer import token_end
from loom.parse.problems import OFFSET_CHUNK
from loom.parse.result import Origins

LONGEST_LINE = 160


class Source(NamedTuple):
    """A file as the printer needs it; `text` is decoded and without a byte order mark."""

    text: str
    origins: Origins


class Place(NamedTuple):
    """Where a diagnostic points: sorted by file, then position."""

    file: str
    start: Position
    end: Position


def report(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """All diagnostics in the order of file, position and code, each once."""
    return "\n".join(_entry(problem, where, sources) for where, problem in located(diagnostics, sources))


def located(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> list[tuple[Place, Diagnostic]]:
    """In that order, with their places; of two that say the same of one place, one."""
    found = {(place(problem, sources), problem.code, problem.text()): problem for problem in diagnostics}
    return [(key[0], found[key]) for key in sorted(found)]


def place(problem: Diagnostic, sources: Mapping[str, Source]) -> Place:
    """The file, start and end that the diagnostic's path means."""
    file, chunk, number = split_path(problem.at)
    source = sources.get(file)
    if source is None:
        return Place(file, Position(1, 1, 0), Position(1, 1, 0))
    offset = number if chunk == OFFSET_CHUNK else source.origins.offset(chunk, number)
    offset = min(offset, len(source.text))
    return Place(file, _position(source.text, offset), _position(source.text, token_end(source.text, offset)))


def _position(text: str, offset: int) -> Position:
    starts = _line_starts(text)
    line = bisect_right(starts, offset)
    return Position(line, offset - starts[line - 1] + 1, offset)


# A file may have as many mistakes as lines: each must not read it anew.
# kept by tests/unit/parse/test_bounds.py::test_thousands_of_mistakes_are_told_in_time_that_grows_with_them
@lru_cache(maxsize=64)
def _line_starts(text: str) -> array[int]:
    return array("Q", [0, *(found.end() for found in re.finditer("\n", text))])


def _entry(problem: Diagnostic, where: Place, sources: Mapping[str, Source]) -> str:
    lines = [f"{problem.severity}[{problem.code}]: {problem.text()}"]
    lines.append(f" --> {where.file}:{where.start.line}:{where.start.column}")
    if where.file in sources:
        lines += _excerpt(sources[where.file].text, where)
    page = f"`loom explain-code {problem.code.removeprefix('loom.')}` says more"
    lines.append(f"help: {problem.help_text() or page}")
    return "\n".join(lines) + "\n"


def _excerpt(text: str, where: Place) -> list[str]:
    """The line with a caret under the token, cut around it when it is long."""
    start = where.start.offset - where.start.column + 1
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)].rstrip("\r")
    column = where.start.column - 1
    if len(line) > LONGEST_LINE:
        first = max(column - LONGEST_LINE // 2, 0)
        line, column = line[first : first + LONGEST_LINE], column - first
    width = where.end.offset - where.start.offset if where.end.line == where.start.line else len(line) - column
    caret = "".join("\t" if character == "\t" else " " for character in line[:column])
    gutter = " " * len(str(where.start.line))
    caret += "^" * max(1, min(width, len(line) - column))
    return [f"{gutter} |", f"{where.start.line} | {_shown(line)}", f"{gutter} | {caret}"]


def _shown(line: str) -> str:
    """The line without characters that a terminal would act on."""
    return "".join(c if c == "\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
