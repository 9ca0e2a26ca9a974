"""Expressions as text on one line that knows where it may break, as `ruff format` breaks it.

In: parts, each a text or a shape. Out: shapes, and documents of them for where the line is too long.
Never: knowledge of a model. Kept by tests/unit/backends/python/test_shapes.py, which asks ruff itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Self

from loom.emit.layout import HARD, LINE, SOFT, Doc, Either, Indent, Measured, columns, join

STEP = 4

# How tightly Python's operators bind.
CONDITIONAL, OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY = range(1, 9)


class Shape(str):
    """The text on one line. What can break nowhere is a plain string instead."""

    __slots__ = ()

    def doc(self) -> Doc:
        """The document inside brackets, where operators and the calls of a chain may begin lines."""
        raise NotImplementedError

    def tight(self) -> Doc:
        """The same where nothing but brackets may break."""
        return self.doc()


class Row(Shape):
    """Parts side by side: `name=value`, `await value`, `value.name`."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        self = str.__new__(cls, "".join(parts))
        self.parts = parts
        return self

    def doc(self) -> Doc:
        return tuple(map(doc, self.parts))


class Operators(Shape):
    """A chain of operands, each with the operator and the blank before it; an `if else` is one too."""

    __slots__ = ("binds", "operands")
    operands: Sequence[tuple[str, str]]
    binds: int

    def __new__(cls, operands: Sequence[tuple[str, str]], binds: int) -> Self:
        self = str.__new__(cls, " ".join([operator + operand for operator, operand in operands]))
        self.operands, self.binds = operands, binds
        return self

    def doc(self) -> Doc:
        return Measured(self, lambda _: join(LINE, [(operator, doc(each)) for operator, each in self.flattened()]))

    def tight(self) -> Doc:
        return join(" ", [(operator, tight(each)) for operator, each in self.flattened()])

    def flattened(self) -> list[tuple[str, str]]:
        """The operands, with those of a chain inside that breaks together with this one."""
        found: list[tuple[str, str]] = []
        for operator, operand in self.operands:
            inner = resolved(operand)
            if isinstance(inner, Operators) and self._joins(inner, first=not found):
                (_, head), *rest = inner.flattened()
                found += [(operator, head), *rest]
            else:
                found.append((operator, inner))
        return found

    def _joins(self, inner: Operators, *, first: bool) -> bool:
        if first and inner.binds == self.binds:
            return self.binds in (OR, AND, SUM, PRODUCT)
        return (self.binds, inner.binds) in ((CONDITIONAL, CONDITIONAL), (OR, AND))


class Brackets(Shape):
    """Items in brackets, with what they follow: broken, each stands on a line of its own and has a comma."""

    __slots__ = ("around", "head", "items")
    head: str
    items: Sequence[str]
    around: str

    def __new__(cls, head: str, items: Iterable[str], around: str = "()") -> Self:
        items = tuple(items)
        self = str.__new__(cls, f"{head}{around[0]}{', '.join(items)}{around[1]}")
        self.head, self.items, self.around = head, items, around
        return self

    def doc(self) -> Doc:
        return (doc(self.head), self.bracketed())

    def bracketed(self) -> Doc:
        return Measured(self[len(self.head) :], self._broken) if self.items else self.around

    def _broken(self, room: int) -> Doc:
        return (self.around[0], Indent((SOFT, self.inside(room - STEP)), STEP), SOFT, self.around[1])

    def inside(self, room: int) -> Doc:
        """What stands between broken brackets, on lines with so much room."""
        if all(columns(item) < room for item in self.items):
            return join(HARD, [f"{item}," for item in self.items])
        return (join((",", LINE), map(doc, self.items)), ",")

    def spread(self, indent: int, room: int) -> str:
        """What the document of the broken brackets prints, where nothing in them breaks but brackets; else nothing.

        `room` is what a line that begins at `indent` has. Whatever fits is its own text, so that no document is made.
        """
        lines = self.lines(indent + STEP, room - STEP)
        margin = "\n" + " " * indent
        below = f"{margin}{' ' * STEP}"
        return f"{self.around[0]}{below}{below.join(lines)}{margin}{self.around[1]}" if lines else ""

    def lines(self, indent: int, room: int) -> list[str]:
        """What stands between them then, a line each unless it breaks."""
        return spread(self.items, ",", indent, room)


class Call(Brackets):
    """A call: its arguments stay on one line when they fit on one of their own."""

    __slots__ = ()

    def doc(self) -> Doc:
        links = chain(self)
        return self.tight() if links is None else Measured(self, lambda _: _linked(links))

    def tight(self) -> Doc:
        return super().doc()

    def inside(self, room: int) -> Doc:
        if len(self.items) == 1 and isinstance(self.items[0], Clauses):
            return self.items[0].doc()
        line = ", ".join(self.items)
        return line if columns(line) <= room else super().inside(room)

    def lines(self, indent: int, room: int) -> list[str]:
        if len(self.items) == 1 and isinstance(self.items[0], Clauses):
            return self.items[0].lines(indent, room)
        line = ", ".join(self.items)
        return [line] if columns(line) <= room else super().lines(indent, room)


class Enclosed(Brackets):
    """One thing in brackets, and no comma: an index, a comprehension."""

    __slots__ = ()

    def inside(self, room: int) -> Doc:
        return doc(self.items[0])

    def lines(self, indent: int, room: int) -> list[str]:
        (item,) = self.items
        return item.lines(indent, room) if isinstance(item, Clauses) else spread(self.items, "", indent, room)


class Parenthesized(Enclosed):
    """An operand that binds less than what is around it."""

    __slots__ = ()


class Clauses(Shape):
    """The inside of a comprehension: the element, then each `for … in …` and `if …`."""

    __slots__ = ("clauses",)
    clauses: Sequence[str]

    def __new__(cls, clauses: Sequence[str]) -> Self:
        self = str.__new__(cls, " ".join(clauses))
        self.clauses = clauses
        return self

    def doc(self) -> Doc:
        return Measured(self, lambda _: join(LINE, map(doc, self.clauses)))

    def lines(self, indent: int, room: int) -> list[str]:
        return [self] if columns(self) <= room else spread(self.clauses, "", indent, room)


class Lambda(Row):
    """Two parts, `lambda x: ` and a body, which gets parentheses to break in unless it has brackets."""

    __slots__ = ()

    def doc(self) -> Doc:
        head, body = self.parts
        shape = resolved(body)
        if not _has_brackets(shape):
            return (head, in_parentheses(body))
        if isinstance(shape, Brackets) and not shape.head:
            return (head, doc(body))
        opening, bracket, _ = shape.partition(shape.around[0] if isinstance(shape, Brackets) else "(")
        return (head, Either(opening + bracket, doc(body), in_parentheses(body)))


def _has_brackets(body: str) -> bool:
    match body:
        case Call():
            return bool(body.items) and chain(body) is None
        case Row():
            return not body.parts[-1].startswith(".")
        case Shape():
            return not isinstance(body, Operators)
    return not body.replace(".", "_").isidentifier()


class Filled(Shape):
    """A pattern of Python with its holes filled: the shape of that, made when somebody asks."""

    __slots__ = ("holes", "pattern")
    pattern: str
    holes: Sequence[str]

    def shape(self) -> str:
        raise NotImplementedError

    def doc(self) -> Doc:
        return doc(self.shape())

    def tight(self) -> Doc:
        return tight(self.shape())


def resolved(text: str) -> str:
    """`text`, or the shape that it stands for."""
    return text.shape() if isinstance(text, Filled) else text


def doc(text: str) -> Doc:
    return text.doc() if isinstance(text, Shape) else text


def tight(text: str) -> Doc:
    return text.tight() if isinstance(text, Shape) else text


def opened(text: str) -> tuple[str, Brackets | None]:
    """The brackets that end `text`, and all before them; None where it ends otherwise, or breaks elsewhere too."""
    shape = resolved(text)
    while type(shape) is Row:
        shape = resolved(shape.parts[-1])
    if not isinstance(shape, Brackets) or not shape.items or chain(shape) is not None:
        return "", None
    return text[: len(text) - len(shape) + len(shape.head)], shape


def spread(items: Iterable[str], comma: str, indent: int, room: int) -> list[str]:
    """Each on a line of its own, or with its last brackets broken; nothing where that does not do."""
    found: list[str] = []
    for item in items:
        if columns(item) + len(comma) > room:
            opening, brackets = opened(item)
            below = brackets.spread(indent, room) if brackets and columns(opening) < room else ""
            if not below:
                return []
            item = opening + below
        found.append(item + comma)
    return found


def in_parentheses(text: str) -> Doc:
    """Parentheses that are there only where `text` does not fit on the line."""
    return Measured(text, lambda _: ("(", Indent((SOFT, doc(text)), STEP), SOFT, ")"))


def behind(text: str, value: str) -> str:
    """`value` behind a name, a key, a star or a keyword."""
    return Row(text, value) if isinstance(value, Shape) else text + value


def keyword(name: str, value: str) -> str:
    """An argument that goes by its name."""
    return behind(f"{name}=", value)


def member(receiver: str, name: str) -> str:
    return Row(receiver, f".{name}") if isinstance(receiver, Shape) else f"{receiver}.{name}"


def chain(text: str) -> list[Call] | None:
    """The calls of a chain of two or more on the results of calls; None for anything else."""
    links: list[Call] = []
    while isinstance(text, Call) and (receiver := _receiver(text)) is not None:
        links.insert(0, text)
        text = receiver
    return links if len(links) > 1 else None


def _receiver(text: Call) -> str | None:
    """The call, or what is in parentheses, whose member `text` calls."""
    head = resolved(text.head)
    if not isinstance(head, Row):
        return None
    receiver = resolved(head.parts[0])
    return receiver if isinstance(receiver, Call | Parenthesized) else None


def _linked(links: Sequence[Call]) -> Doc:
    """The calls below each other."""
    heads = [head for link in links if isinstance(head := resolved(link.head), Row)]
    calls = [(SOFT, head.parts[1], link.bracketed()) for head, link in zip(heads, links, strict=True)]
    return (doc(heads[0].parts[0]), *calls)


@lru_cache(1 << 14)
def quoted(text: str) -> str:
    """`text` as the formatter quotes it: in double quotes unless single ones need fewer escapes."""
    body = repr(text + "'")[1:-2] if '"' not in text else repr(text)[1:-1].replace("\\'", "'")
    if text.count('"') > text.count("'"):
        return "'" + body.replace("'", "\\'") + "'"
    return '"' + body.replace('"', '\\"') + '"'
