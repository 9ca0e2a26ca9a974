"""A width-aware document printer, so that long expressions come out as a formatter would leave them.

In: a `Doc` built from text, lines, groups and indents, and a width. Out: text.
Never: knowledge of any language. After Wadler, "A prettier printer" (2003): a group is laid flat when it
fits in what is left of the line, else every line of its own breaks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, assert_never

import msgspec


class Line(msgspec.Struct, frozen=True, eq=False):
    """A break. Laid flat it prints `flat` (a blank, or nothing); `hard` always breaks, and so its groups."""

    flat: str = " "
    hard: bool = False


class Indent(msgspec.Struct, frozen=True, eq=False):
    doc: Doc
    by: int


class Group(msgspec.Struct, frozen=True, eq=False):
    """Flat when it fits; `breaks` when it must not be. What stands elsewhere can follow it by its name."""

    doc: Doc
    breaks: bool = False
    name: int = 0


class IfBroken(msgspec.Struct, frozen=True, eq=False):
    """`broken` when the group around it breaks, else `flat`: a trailing comma, a parenthesis."""

    broken: Doc
    flat: Doc = ""


class IndentIf(msgspec.Struct, frozen=True, eq=False):
    """Indented when the group called `name`, which stands before it, has broken."""

    doc: Doc
    by: int
    name: int


class Measured(msgspec.Struct, frozen=True, eq=False):
    """A group whose text is known: where that does not fit, its document, made for lines with so much room."""

    text: str
    broken: Callable[[int], Doc]


class Choice(msgspec.Struct, frozen=True, eq=False):
    """The first state whose lines fit as far as it must break by itself, else the last one, broken."""

    states: tuple[Doc, ...]


class Fill(msgspec.Struct, frozen=True, eq=False):
    """As many items on each line as fit: short numbers."""

    items: tuple[str, ...]


class Either(msgspec.Struct, frozen=True, eq=False):
    """`first` when `probe` fits in what is left of the line, else `second`: how much of a call stays beside it."""

    probe: Doc
    first: Doc
    second: Doc


Doc = str | Line | Indent | Group | IfBroken | Either | IndentIf | Measured | Choice | Fill | tuple["Doc", ...]

LINE = Line()
SOFT = Line("")
HARD = Line(hard=True)

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")

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
    return len(text) if text.isascii() else len(text) + sum(map(_surplus, _BEYOND_ASCII.findall(text)))


@cache
def _surplus(char: str) -> int:
    """How many columns more than one."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return -1
    return int(unicodedata.east_asian_width(char) in ("W", "F"))


def text_of(doc: Doc, *, width: int, column: int = 0, indent: int = 0) -> str:
    """`doc` printed so that no line passes `width` where a break can prevent it.

    `column` is how much of the first line is taken already, `indent` what broken lines start with.
    """
    return _Printer(width, column).text(doc, indent)


class _Printer:
    """Prints one document; `stack` is what is to come, the next last."""

    def __init__(self, width: int, column: int) -> None:
        self.width = width
        self.column = column
        self.out: list[str] = []
        self.stack: list[_Item] = []
        self.broken: set[int] = set()

    def text(self, doc: Doc, indent: int) -> str:  # noqa: C901 - one arm a kind, the hottest first
        out, stack = self.out, self.stack
        stack.append((indent, True, doc))
        while stack:
            level, broken, item = stack.pop()
            if isinstance(item, str):
                out.append(item)
                self.column += len(item) if item.isascii() else columns(item)
            elif isinstance(item, tuple):
                stack += [(level, broken, part) for part in item[::-1]]
            elif isinstance(item, Line) and (broken or item.hard):
                out.append("\n" + " " * level)
                self.column = level
            elif isinstance(item, Group):
                self.group(level, item)
            elif isinstance(item, Measured):
                self.measured(level, broken, item)
            elif isinstance(item, Choice):
                self.choose(level, broken, item)
            elif isinstance(item, Either):
                fits = _flat(item.probe, self.width - self.column) is not None
                stack.append((level, broken, item.first if fits else item.second))
            else:
                stack += self.parts(level, broken, item)
        return "".join(out)

    def group(self, level: int, item: Group) -> None:
        room = self.width - self.column
        flat = None if item.breaks else _flat(item.doc, room)
        if flat is None or not _fits(self.stack, room - flat.size):
            self.stack.append((level, True, item.doc))
            self.broken.add(item.name)
        elif flat.texts is None:
            self.stack.append((level, False, item.doc))
            self.broken.discard(item.name)
        else:
            self.out += flat.texts
            self.column += flat.size
            self.broken.discard(item.name)

    def measured(self, level: int, broken: bool, item: Measured) -> None:
        size = columns(item.text)
        room = self.width - self.column - size
        if broken and (room < 0 or not _fits(self.stack, room)):
            self.stack.append((level, True, item.broken(self.width - level)))
            return
        self.out.append(item.text)
        self.column += size

    def choose(self, level: int, broken: bool, item: Choice) -> None:
        *others, last = item.states
        room = self.width - self.column
        for state in others:
            if not broken or _fits([*self.stack, (level, False, state)], room):
                self.stack.append((level, False, state))
                return
        self.stack.append((level, True, last))

    def parts(self, level: int, broken: bool, item: _Plain) -> list[_Item]:
        """What `item` consists of, the last first."""
        match item:
            case IndentIf():
                return [(level + item.by * (item.name in self.broken), broken, item.doc)]
            case Fill():
                return [(level, broken, "".join(self.filled(level, item.items)))]
            case _:
                return _parts(level, broken, item)

    def filled(self, level: int, items: Sequence[str]) -> Iterator[str]:
        column = self.column
        for place, item in enumerate(items):
            text = item + "," * (place < len(items) - 1)
            if place and column + 1 + len(text) > self.width:
                yield "\n" + " " * level
                column = level
            elif place:
                text = f" {text}"
            yield text
            column += len(text)


_Plain = Line | Indent | IfBroken | IndentIf | Fill | tuple[Doc, ...]


def _parts(level: int, broken: bool, item: _Plain) -> list[_Item]:
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
        case IndentIf():
            return [(level, broken, item.doc)]
        case Fill():
            return [(level, broken, LINE if broken and len(item.items) > 1 else ""), (level, broken, item.items[0])]
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
        elif isinstance(item, Group) and item.breaks:
            return None
        else:
            fixed = fixed and not isinstance(item, Either)
            pending.append(_inside(item))
    return _Flat(room - left, texts if fixed else None) if room >= 0 else None


def _inside(item: Group | Indent | IfBroken | Either | IndentIf | Measured | Choice | Fill) -> Doc:
    """What `item` prints when it is laid flat."""
    match item:
        case Group() | Indent() | IndentIf():
            return item.doc
        case IfBroken():
            return item.flat
        case Measured():
            return item.text
        case Either():
            return item.first
        case Choice():
            return item.states[0]
        case Fill():
            return ", ".join(item.items)
    assert_never(item)


def must_break(doc: Doc) -> bool:
    """Whether `doc` holds a line that is never flat."""
    match doc:
        case Line():
            return doc.hard
        case tuple():
            return any(map(must_break, doc))
        case Group():
            return doc.breaks or must_break(doc.doc)
        case Indent() | IndentIf():
            return must_break(doc.doc)
        case Choice():
            return must_break(doc.states[0])
        case _:
            return False


def _fits(rest: Sequence[_Item], room: int) -> bool:  # noqa: C901 - one arm a kind
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
            return True
        elif isinstance(item, Group):
            pending.append((0, broken or item.breaks or must_break(item.doc), item.doc))
        elif isinstance(item, Measured):
            pending.append((0, broken, item.broken(0) if broken else item.text))
        elif isinstance(item, Choice):
            pending.append((0, broken, item.states[-1 if broken else 0]))
        elif isinstance(item, Either):
            pending.append((0, broken, item.second if broken else item.first))
        else:
            pending += _parts(0, broken, item)
    return True
