"""Whether the two sides of an expectation can be what its matcher says of them.

In: an expectation of a scenario, what is bound before it. Out: diagnostics.
Never: the value of an answer; nothing is said of a side of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Diagnostic
from loom.ir.places import DeclarationPath
from loom.ir.scenarios import ACTUAL, EXPECTED, ExpectJson, Json, JsonText
from loom.ir.statements import Matcher
from loom.ir.types import DATETIME, MONEY, STRING
from loom.lower.scope.relations import without_optional
from loom.plan.scenarios.comparisons import is_amount
from loom.plan.scenarios.problems import E2eExpectedType
from loom.plan.scenarios.shapes import Handle, Kind, Shape
from loom.plan.scenarios.values import Stage, kind_of, shape_of

Side = tuple[Json, str]


def misplaced(stage: Stage, step: ExpectJson, path: DeclarationPath) -> Iterator[Diagnostic]:
    """The first thing that is wrong with the kinds of both sides."""
    sides: tuple[Side, Side] = ((step.actual, ACTUAL), (step.expected, EXPECTED))
    match step.matcher:
        case Matcher.TO_BE:
            found = _unequal(stage, sides, path)
        case Matcher.TO_BE_SAME_INSTANT:
            found = _timeless(stage, sides, path)
        case _:
            found = _unordered(stage, sides, path)
    if found is not None:
        yield found


def _unequal(stage: Stage, sides: tuple[Side, Side], path: DeclarationPath) -> Diagnostic | None:
    (actual, _), (expected, side) = sides
    left, right = kind_of(stage, actual), kind_of(stage, expected)
    if left is None or right is None or left is right:
        return _worthless(stage, sides, path) if MONEY in [_plain(stage, value) for value, _ in sides] else None
    at = stage.places.at(*path, side)
    return E2eExpectedType(at=at, case="kinds", actual=left.value, expected=right.value)


def _timeless(stage: Stage, sides: tuple[Side, Side], path: DeclarationPath) -> Diagnostic | None:
    for value, side in sides:
        kind, shape = kind_of(stage, value), _plain(stage, value)
        is_text = kind in (None, Kind.TEXT) and shape in (None, DATETIME, STRING)
        if not is_text and kind is not None:
            at = stage.places.at(*path, side)
            return E2eExpectedType(at=at, case="instant", actual="", expected=_named(shape, kind))
    return None


def _unordered(stage: Stage, sides: tuple[Side, Side], path: DeclarationPath) -> Diagnostic | None:
    for value, side in sides:
        kind = kind_of(stage, value)
        if kind not in (None, Kind.TEXT, Kind.NUMBER):
            at = stage.places.at(*path, side)
            return E2eExpectedType(at=at, case="order", actual="", expected=kind.value)
    is_money = MONEY in [_plain(stage, value) for value, _ in sides]
    return _worthless(stage, sides, path) if is_money else _unequal(stage, sides, path)


def _worthless(stage: Stage, sides: tuple[Side, Side], path: DeclarationPath) -> Diagnostic | None:
    """A text beside money that writes no amount."""
    for value, side in sides:
        if isinstance(value, JsonText) and not is_amount(value):
            return E2eExpectedType(at=stage.places.at(*path, side), case="money", actual="", expected=value.text)
    return None


def _plain(stage: Stage, value: Json) -> Shape:
    shape = shape_of(stage, value)
    return shape if shape is None or isinstance(shape, Handle) else without_optional(shape)


def _named(shape: Shape, kind: Kind) -> str:
    """An id and an enum value are texts, too, but of no time."""
    return "this text" if shape is not None and kind is Kind.TEXT else kind.value
