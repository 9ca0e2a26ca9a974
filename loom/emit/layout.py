"""A width-aware document printer, so that long expressions come out as a formatter would leave them.

In: a `Doc` built from text, lines, groups and indents, and a width. Out: text.
Never: knowledge of any language. After Wadler, "A prettier printer" (2003): a group is laid flat when it
fits in what is left of the line, else every line of its own breaks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never


@dataclass(frozen=True, slots=True)
class Line:
    """A break. Laid flat it prints `flat` (a blank, or nothing); `hard` always breaks, and so its groups."""

    flat: str = " "
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Indent:
    doc: Doc
    by: int


@dataclass(frozen=True, slots=True)
class Group:
    doc: Doc


@dataclass(frozen=True, slots=True)
class IfBroken:
    """`broken` when the group around it breaks, else `flat`: a trailing comma, a parenthesis."""

    broken: Doc
    flat: Doc = ""


@dataclass(frozen=True, slots=True)
class Either:
    """`first` when `probe` fits in what is left of the line, else `second`: how much of a call stays beside it."""

    probe: Doc
    first: Doc
    second: Doc


@dataclass(frozen=True, slots=True)
class Measured:
    """A group whose text is known: where that does not fit, its document, made for lines with so much room."""

    text: str
    broken: Callable[[int], Doc]


Doc = str | Line | Indent | Group | IfBroken | Either | Measured | tuple["Doc", ...]

LINE = Line()
SOFT = Line("")
HARD = Line(hard=True)

_Item = tuple[int, bool, Doc]


def join(separator: Doc, docs: Iterable[Doc]) -> Doc:
    """The docs with `separator` between them."""
    parts: list[Doc] = []
    for doc in docs:
        if parts:
            parts.append(separator)
        parts.append(doc)
    return tuple(parts)


def bracketed(opening: str, items: Iterable[Doc], closing: str, *, indent: int, trailing: str = ",") -> Doc:
    """`(a, b)` flat; broken, one item a line with a trailing comma."""
    docs = tuple(items)
    if not docs:
        return opening + closing
    body = (SOFT, join((",", LINE), docs), IfBroken(trailing))
    return Group((opening, Indent(body, indent), SOFT, closing))


def columns(text: str) -> int:
    """How wide `text` is, as formatters count: wide letters are two columns, what joins another is none."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def text_of(doc: Doc, *, width: int, column: int = 0, indent: int = 0) -> str:  # noqa: C901 - one arm a kind
    """`doc` printed so that no line passes `width` where a break can prevent it.

    `column` is how much of the first line is taken already, `indent` what broken lines start with.
    """
    out: list[str] = []
    stack: list[_Item] = [(indent, True, doc)]
    while stack:
        level, broken, item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            column += len(item) if item.isascii() else columns(item)
        elif isinstance(item, tuple):
            stack += [(level, broken, part) for part in item[::-1]]
        elif isinstance(item, Line) and (broken or item.hard):
            out.append("\n" + " " * level)
            column = level
        elif isinstance(item, Measured):
            fits = _fits_flat(item.text, stack, width - column)
            stack.append((level, True, item.text if fits else item.broken(width - level)))
        elif isinstance(item, Group):
            flat = _flat(item.doc, width - column)
            if flat is None or not _fits(stack, width - column - flat.size):
                stack.append((level, True, item.doc))
            elif flat.texts is None:
                stack.append((level, False, item.doc))
            else:
                out += flat.texts
                column += flat.size
        elif isinstance(item, Either):
            stack.append((level, broken, item.second if _flat(item.probe, width - column) is None else item.first))
        else:
            stack += _parts(level, broken, item)
    return "".join(out)


def _parts(level: int, broken: bool, item: Line | Indent | IfBroken | tuple[Doc, ...]) -> list[_Item]:
    """What `item` consists of, outside any group of its own, the last first."""
    match item:
        case tuple():
            return [(level, broken, part) for part in item[::-1]]
        case Line():
            return [(level, broken, item.flat)]
        case Indent():
            return [(level + item.by, broken, item.doc)]
        case IfBroken():
            return [(level, broken, item.broken if broken else item.flat)]
    assert_never(item)


class _Flat(NamedTuple):
    """A doc laid flat: how wide it is, and its texts unless a part of it depends on where it stands."""

    size: int
    texts: list[str] | None


def _flat(doc: Doc, room: int) -> _Flat | None:
    """`doc` laid flat, if it takes at most `room`: the loop in which a run's layout spends most of its time."""
    left, fixed = room, True
    texts: list[str] = []
    pending: list[Doc] = [doc]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            left -= len(item) if item.isascii() else columns(item)
            if left < 0:
                return None
            texts.append(item)
        elif isinstance(item, tuple):
            pending += item[::-1]
        elif isinstance(item, Line):
            if item.hard:
                return None
            pending.append(item.flat)
        else:
            fixed = fixed and not isinstance(item, Either)
            pending.append(_inside(item))
    return _Flat(room - left, texts if fixed else None) if room >= 0 else None


def _inside(item: Group | Indent | IfBroken | Either | Measured) -> Doc:
    """What `item` prints when it is laid flat."""
    match item:
        case Measured():
            return item.text
        case Group() | Indent():
            return item.doc
        case IfBroken():
            return item.flat
        case Either():
            return item.first
    assert_never(item)


def _fits_flat(text: str, rest: Sequence[_Item], room: int) -> bool:
    """Whether `text` and what follows it take at most `room` up to the next possible break."""
    left = room - columns(text)
    return left >= 0 and _fits(rest, left)


def _fits(rest: Sequence[_Item], room: int) -> bool:
    """Whether what follows a flat doc takes at most `room` up to the next possible break."""
    outer = len(rest)
    pending: list[_Item] = []
    while pending or outer:
        if not pending:
            outer -= 1
            pending.append(rest[outer])
        _, broken, item = pending.pop()
        if isinstance(item, str):
            room -= columns(item)
            if room < 0:
                return False
        elif isinstance(item, Line) and (item.hard or broken):
            return broken
        elif isinstance(item, Group | Either):
            pending.append((0, broken, item.doc if isinstance(item, Group) else item.first))
        elif isinstance(item, Measured):
            pending.append((0, broken, item.broken(0) if broken else item.text))
        else:
            pending += _parts(0, broken, item)
    return True
