"""Where a random expression stands, and the small makers that every kind of them uses.

In: a depth, known names, a way to draw. Out: strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from loom.ir.expressions import Call, Expr, Fn, Literal, Local
from loom.ir.types import DATETIME, DECIMAL, DURATION, INT, LONG, MONEY, STRING, Scalar, Type
from tests.kit.expression_model import POINT, STATE

Expressions = st.SearchStrategy[Expr]
Known = tuple[Local, ...]
Draw = Callable[[Type, int, Known], Expressions]
Drawn = TypeVar("Drawn")

SMALL = ("0", "1", "2", "3", "100")
ELEMENTS: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, DATETIME, STATE, POINT)
ORDERED: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, DATETIME, DURATION)
OPTIONALS: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, DATETIME, STATE)


class Site:
    """Where a subexpression stands: what may be drawn below it, and how."""

    def __init__(self, depth: int, known: Known, draw: Draw) -> None:
        self.depth = depth
        self.known = known
        self.draw = draw

    def of(self, type_: Type) -> Expressions:
        return self.draw(type_, self.depth, self.known)

    def knowing(self, type_: Type, local: Local) -> Expressions:
        return self.draw(type_, self.depth, (*self.known, local))

    def of_any(self, types: Iterable[Type], build: Callable[[Type], Expressions]) -> Expressions:
        return st.sampled_from(list(types)).flatmap(remembered(build))


def evenly(choices: list[st.SearchStrategy[Drawn]]) -> st.SearchStrategy[Drawn]:
    """Each as likely as the others, however many choices are inside them (`one_of` flattens)."""
    return st.sampled_from(range(len(choices))).flatmap(choices.__getitem__)


def remembered(build: Callable[[Any], Expressions]) -> Callable[[Any], Expressions]:
    """`build`, called once for each argument: a strategy costs more to make than to draw from."""
    made = cache(build)
    return lambda key: made(key)


def digits(type_: Scalar, texts: Iterable[str]) -> Expressions:
    return st.sampled_from(list(texts)).map(lambda text: Literal(type=type_, text=text))


def call(type_: Type, fn: Fn, *arguments: Expressions) -> Expressions:
    return st.tuples(*arguments).map(lambda drawn: Call(type=type_, fn=fn, arguments=drawn))


def one_call(type_: Type, fns: Iterable[Fn], *arguments: Expressions) -> Expressions:
    return st.tuples(st.sampled_from(list(fns)), *arguments).map(
        lambda drawn: Call(type=type_, fn=drawn[0], arguments=drawn[1:])
    )
