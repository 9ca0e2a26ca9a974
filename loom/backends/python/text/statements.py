"""Statements as `ruff format` lays them out.

In: shapes of expressions. Out: statements as one line each; laid out where they are too long.
Never: a change to a line that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Self

from loom.backends.python.text.shapes import (
    STEP,
    Brackets,
    Call,
    Operators,
    Parenthesized,
    Row,
    Shape,
    chain,
    doc,
    in_parentheses,
    opened,
    resolved,
    tight,
)
from loom.emit.layout import HARD, LINE, SOFT, Doc, Indent, Measured, columns, join, text_of

WIDTH = 100
INDENT = " " * STEP


class Statement(str):
    """A statement, or the head of a compound one: values, each behind a text; it may stand in a block."""

    __slots__ = ("after", "depth", "parts")
    parts: Sequence[str]
    after: str
    depth: int

    def __new__(cls, *parts: str, after: str = "", depth: int = 0) -> Self:
        self = str.__new__(cls, "".join((" " * depth, *parts, after)))
        self.parts, self.after, self.depth = parts, after, depth
        return self

    def deeper(self) -> Statement:
        return Statement(*self.parts, after=self.after, depth=self.depth + STEP)

    def broken(self, indent: int) -> str:
        """As few lines as there can be, the first of them `indent` columns to the right."""
        *before, value = self.parts
        if len(before) == 3 and (not isinstance(before[1], Shape) or self._keeps_annotation(indent)):
            return Statement("".join(before), value, depth=self.depth).broken(indent)
        if not isinstance(self.parts[0], Row):
            return self._best(indent) or self._printed(_open if self.parts[0] else _bare, indent)
        whole = Statement(str(self.parts[0]), value, after=self.after, depth=self.depth)
        if whole.parts[0].startswith("for "):
            return whole._loop(indent)
        is_tuple = isinstance(self.parts[0].parts[0], Targets)
        best = whole._spread(indent) if is_tuple else whole._best(indent)
        return best or self._printed(_open, indent)

    def _keeps_annotation(self, indent: int) -> bool:
        *before, value = self.parts
        return (isinstance(value, Call) or value == "None") and indent + self.depth + columns("".join(before)) < WIDTH

    def _best(self, indent: int) -> str:
        """Broken in brackets when the first line fits, in parentheses when all lines do; else nothing."""
        if spread := self._spread(indent):
            return spread
        bare = self._printed(_bare, indent)
        if self.parts[0] == "@" or _fits(bare.partition("\n")[0], indent):
            return bare
        if not self.parts[0]:
            operand = _operand(self.parts[-1])
            return Statement("await ", operand, depth=self.depth)._best(indent) if operand else ""
        wrapped = self._printed(_wrapped, indent)
        return wrapped if _fits(wrapped, indent) else ""

    def _spread(self, indent: int) -> str:
        """Broken in its last brackets, if the line before these fits and they leave nothing to choose; else nothing."""
        if len(self.parts) != 2:
            return ""
        start, value = self.parts
        opening, brackets = opened(value)
        column = indent + self.depth
        if brackets is None or column + columns(start + opening) >= WIDTH:
            return ""
        below = brackets.spread(column, WIDTH - column)
        return f"{' ' * self.depth}{start}{opening}{below}{self.after}" if below else ""

    def _loop(self, indent: int) -> str:
        """The same of a loop, the variable of which gets parentheses before what it goes through does."""
        head, value = self.parts
        bare = self._printed(doc, indent)
        if _is_whole(_awaited(value)) and _fits(bare.partition("\n")[0], indent):
            return bare
        margin = " " * (indent + self.depth)
        variable = f"{margin}{' ' * STEP}{head[4:-4]}"
        through = Statement(") in ", value, after=self.after)._printed(doc, indent + self.depth)
        if _fits(variable, 0) and _fits(margin + through.partition("\n")[0], 0):
            return f"{' ' * self.depth}for (\n{variable}\n{margin}{through}"
        wrapped = self._printed(_wrapped, indent)
        return wrapped if _fits(wrapped, indent) else bare

    def _printed(self, value: Callable[[str], Doc], indent: int) -> str:
        column = indent + self.depth
        docs = [value(part) if number % 2 else doc(part) for number, part in enumerate(self.parts)]
        return " " * self.depth + text_of((*docs, self.after), width=WIDTH, column=column, indent=column)


class Signature(str):
    """The head of a function."""

    __slots__ = ("parameters", "returns", "start")
    start: str
    parameters: Sequence[str]
    returns: str

    def __new__(cls, start: str, parameters: Iterable[str], returns: str) -> Self:
        parameters = tuple(parameters)
        self = str.__new__(cls, f"{start}({', '.join(parameters)}) -> {returns}:")
        self.start, self.parameters, self.returns = start, parameters, returns
        return self

    def broken(self, indent: int) -> str:
        returned = f" -> {self.returns}:"
        if self.parameters and indent + 1 + columns(returned) <= WIDTH:
            below = self._listed().spread(indent, WIDTH - indent)
            if below:
                return f"{self.start}{below}{returned}"
        return text_of((self.start, *self._docs(indent), ":"), width=WIDTH, column=indent, indent=indent)

    def _docs(self, indent: int) -> tuple[Doc, Doc]:
        below = (" -> (", Indent((HARD, self.returns), STEP), HARD, ")")
        if not self.parameters and not isinstance(self.returns, Shape):
            return "()", below
        if indent + columns(f") -> {self.returns}:") <= WIDTH:
            return self._listed().bracketed(), f" -> {self.returns}"
        inside = self._listed().inside(WIDTH - indent - STEP)
        returned = self.returns
        if type(returned) is Brackets:
            returned = Call(returned.head, returned.items, returned.around)
        fits = not isinstance(returned, Shape) and indent + STEP + columns(returned) <= WIDTH
        returns = below if fits else (" -> ", doc(returned))
        return ("(", Indent((HARD, inside), STEP), HARD, ")"), returns

    def _listed(self) -> Brackets:
        return (Brackets if len(self.parameters) == 1 else Call)("", self.parameters)


class Targets(Shape):
    """Names that one statement assigns, or the one of a loop: in parentheses when what follows does not fit."""

    __slots__ = ("names",)
    names: Sequence[str]

    def __new__(cls, *names: str) -> Self:
        self = str.__new__(cls, ", ".join(names))
        self.names = names
        return self

    def doc(self) -> Doc:
        names = (SOFT, join((",", LINE), self.names), "," * (len(self.names) > 1))
        return Measured(self, lambda _: ("(", Indent(names, STEP), SOFT, ")"))


def laid_out(line: str, indent: int) -> str:
    """The statement as it stands `indent` columns to the right."""
    if indent + columns(line) > WIDTH and isinstance(line, Statement | Signature):
        line = line.broken(indent)
    return " " * indent + line


def _bare(value: str) -> Doc:
    """A value that ends a statement and breaks in its last bracket, when the formatter prefers that."""
    inner = _awaited(value)
    if _is_whole(inner):
        return doc(value)
    return tight(value) if isinstance(inner, Operators) and _can_stay_bare(inner) else in_parentheses(value)


def _wrapped(value: str) -> Doc:
    """The same, in parentheses of its own unless its brackets can never have some around them."""
    inner = resolved(value)
    is_display = isinstance(inner, Brackets) and not inner.head and not isinstance(inner, Parenthesized)
    return doc(value) if is_display else in_parentheses(value)


def _open(value: str) -> Doc:
    """The same, when it takes several lines anyhow: in parentheses where it has operators to break at."""
    return doc(value) if _is_whole(_awaited(value)) else in_parentheses(value)


def _fits(text: str, indent: int) -> bool:
    """Whether all lines do, the first of which is moved to the right."""
    first, *rest = text.split("\n")
    return indent + columns(first) <= WIDTH and all(columns(line) <= WIDTH for line in rest)


def _operand(value: str) -> str:
    """What is awaited, if something is."""
    shape = resolved(value)
    return shape.parts[1] if isinstance(shape, Row) and shape.parts[0] == "await " else ""


def _awaited(value: str) -> str:
    """What is awaited, or the value itself."""
    return resolved(_operand(value) or value)


def _is_whole(shape: str) -> bool:
    """Whether it has brackets around all that could break."""
    return not isinstance(shape, Operators) and chain(shape) is None


def _can_stay_bare(shape: Operators) -> bool:
    """Whether the formatter prefers a break in a bracket to parentheses around the whole.

    That is so when there is one operator of the loosest kind and the expression ends in brackets or begins in
    parentheses.
    """
    operands = shape.flattened()
    if len(operands) == 1:
        inner = operands[0][1]
        is_short = not isinstance(inner, Operators) or len(inner.flattened()) <= 2
        return isinstance(inner, Parenthesized) or (is_short and _ends_in_brackets(inner))
    return len(operands) == 2 and (_begins_in_parentheses(shape) or _ends_in_brackets(shape))


def _begins_in_parentheses(shape: str) -> bool:
    if not isinstance(shape, Operators):
        return False
    operator, first = shape.flattened()[0]
    return not operator and (isinstance(first, Parenthesized) or _begins_in_parentheses(first))


def _ends_in_brackets(shape: str) -> bool:
    if isinstance(shape, Operators):
        last = shape.flattened()[-1][1]
        return isinstance(last, Parenthesized) or _ends_in_brackets(last)
    return _has_items(shape) and chain(shape) is None


def _has_items(shape: str) -> bool:
    """Whether it is a call or a display with something in it."""
    if isinstance(shape, Call):
        return bool(shape.items)
    return (
        isinstance(shape, Brackets)
        and not shape.head
        and shape.around != "()"
        and (bool(shape.items) or shape.around == "{}")
    )
