"""A width-aware document printer, so that long expressions come out as a formatter would leave them.

In: a `Doc` built from text, lines, groups and indents, and a width. Out: text.
Never: knowledge of any language. After Wadler, "A prettier printer" (2003): a group is laid flat when it
fits in what is left of the line, else every line of its own breaks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never


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


Doc = str | Line | Indent | Group | IfBroken | Either | tuple["Doc", ...]

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


def text_of(doc: Doc, *, width: int, column: int = 0, indent: int = 0) -> str:
    """`doc` printed so that no line passes `width` where a break can prevent it.

    `column` is how much of the first line is taken already, `indent` what broken lines start with.
    """
    out: list[str] = []
    stack: list[_Item] = [(indent, True, doc)]
    while stack:
        level, broken, item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            column = column + len(item)
        elif isinstance(item, Line) and (broken or item.hard):
            out.append("\n" + " " * level)
            column = level
        elif isinstance(item, Group):
            stack.append((level, not _fits(item.doc, stack, width - column), item.doc))
        elif isinstance(item, Either):
            fits = _fits(item.probe, [], width - column)
            stack.append((level, broken, item.first if fits else item.second))
        else:
            stack.extend(reversed(_parts(level, broken, item)))
    return "".join(out)


def _parts(level: int, broken: bool, item: Line | Indent | IfBroken | Either | tuple[Doc, ...]) -> list[_Item]:
    """What `item` consists of, outside any group of its own."""
    match item:
        case Line():
            return [(level, broken, item.flat)]
        case Indent():
            return [(level + item.by, broken, item.doc)]
        case IfBroken():
            return [(level, broken, item.broken if broken else item.flat)]
        case Either():
            return [(level, broken, item.first)]
        case tuple():
            return [(level, broken, part) for part in item]
    assert_never(item)


def _fits(doc: Doc, rest: list[_Item], room: int) -> bool:
    """Whether `doc` laid flat, and what follows it up to the next possible break, takes at most `room`."""
    pending: list[_Item] = [(0, False, doc)]
    outer = len(rest)
    while room >= 0:
        if not pending:
            if outer == 0:
                return True
            outer -= 1
            pending.append(rest[outer])
        _, broken, item = pending.pop()
        if isinstance(item, str):
            room -= len(item)
        elif isinstance(item, Line):
            if item.hard or broken:
                return not (item.hard and not broken)
            room -= len(item.flat)
        elif isinstance(item, Group):
            pending.append((0, broken, item.doc))
        else:
            pending.extend(reversed(_parts(0, broken, item)))
    return False
