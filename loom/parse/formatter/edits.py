"""A layout as changes of single gaps between tokens, so that a part of a file can be laid out alone.

In: the text before, its canonical text. Out: edits, or the text with the lines of a range laid out.
Never: an edit that touches a token.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from loom.parse.formatter.format import Unreadable, formatted
from loom.parse.formatter.pieces import pieces
from loom.parse.lexer import Tokens


class Edit(NamedTuple):
    """Offsets in code points; what lies between them is replaced."""

    start: int
    end: int
    text: str


class _Gap(NamedTuple):
    start: int
    end: int


def edits(path: str, data: bytes) -> tuple[Edit, ...] | Unreadable:
    """What to change so that the file is laid out, in its order."""
    found = formatted(path, data)
    if isinstance(found, Unreadable):
        return found
    return tuple(_edits(found.before, found.after))


def format_lines(path: str, data: bytes, first: int, last: int) -> str | Unreadable:
    """The text with its lines `first` to `last`, counted from 1, laid out; the others stay as they are."""
    found = edits(path, data)
    if isinstance(found, Unreadable):
        return found
    source = data.decode("utf-8-sig")
    return applied(source, within(source, found, first, last))


def within(source: str, found: tuple[Edit, ...], first: int, last: int) -> tuple[Edit, ...]:
    """The edits of what stands on the lines `first` to `last`."""
    starts = [0, *(offset + 1 for offset, character in enumerate(source) if character == "\n"), len(source) + 1]
    begin, end = starts[min(first, len(starts)) - 1], starts[min(last, len(starts) - 1)]
    return tuple(edit for edit in found if begin <= edit.end < end)


def applied(source: str, found: tuple[Edit, ...]) -> str:
    parts, behind = [], 0
    for edit in found:
        parts += [source[behind : edit.start], edit.text]
        behind = edit.end
    return "".join([*parts, source[behind:]])


def _edits(before: Tokens, after: Tokens) -> Iterator[Edit]:
    for old, new in zip(_gaps(before), _gaps(after), strict=True):
        text = after.source[new.start : new.end]
        if text != before.source[old.start : old.end]:
            yield Edit(old.start, old.end, text)


def _gaps(tokens: Tokens) -> list[_Gap]:
    """Before each token and behind the last; `[ ]` counts as the gap between its brackets too."""
    spans = [(piece.start, piece.end) for piece in pieces(tokens) if piece.text or piece.end > piece.start]
    spans = [part for start, end in spans for part in _halves(tokens.source, start, end)]
    ends = [(0, 0), *spans, (len(tokens.source), len(tokens.source))]
    return [_Gap(left[1], right[0]) for left, right in pairwise(ends)]


def _halves(source: str, start: int, end: int) -> list[tuple[int, int]]:
    if source[start] == "[" and end > start + 1:
        return [(start, start + 1), (end - 1, end)]
    return [(start, end)]
