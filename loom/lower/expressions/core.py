"""The dispatcher: one function per kind of expression.

In: an expression as written, and the type that its surroundings expect, if any. Out: the typed expression, or
None when it is wrong, which has been reported then. Never: a second report about one cause.
"""

from __future__ import annotations

from typing import assert_never

from loom.ir.expressions import Conditional, Expr, ListLiteral, Literal, Null
from loom.ir.types import BOOL, DECIMAL, INT, LONG, NULL, STRING, ArrayType, OptionalType, Type
from loom.lower.expressions.branches import branches
from loom.lower.expressions.builders import builder, record
from loom.lower.expressions.calls import call
from loom.lower.expressions.guards import checked_by, narrowed_by
from loom.lower.expressions.matches import variant_match
from loom.lower.expressions.names import member, name, this
from loom.lower.expressions.operators import binary, unary
from loom.lower.expressions.plain import doubt_holes
from loom.lower.expressions.templates import template
from loom.lower.problems.expressions import (
    LambdaPosition,
    MatchWithoutElse,
)
from loom.lower.problems.reading import ReadPosition
from loom.lower.problems.types import (
    ListElementType,
    LiteralOutOfRange,
    TernaryBranches,
    TernaryCondition,
    TypeUnknownHere,
)
from loom.lower.scope.frames import UNTOLD, Check, Frame
from loom.lower.scope.relations import fitted, join, show, without_optional
from loom.parse import ast

_INT_LIMIT = 2**31
_LONG_LIMIT = 2**63
_DECIMAL_PLACES = 12
_DECIMAL_WHOLE_DIGITS = 16


Constant = ast.IntLiteral | ast.DecimalLiteral | ast.StringLiteral | ast.BoolLiteral | ast.NullLiteral | ast.ListLiteral


def evaluate(frame: Frame, node: ast.Expression, expected: Type | None) -> Expr | None:  # noqa: C901 - one case a kind
    match node:
        case ast.Name():
            return name(frame, node, expected)
        case ast.Member():
            return member(frame, node)
        case ast.Binary():
            return binary(frame, node)
        case ast.Call():
            return call(frame, node)
        case ast.This():
            return this(frame, node)
        case ast.Unary():
            return unary(frame, node)
        case ast.Ternary():
            return ternary(frame, node, expected)
        case ast.Template():
            return template(frame, node)
        case ast.Builder():
            return builder(frame, node)
        case ast.ObjectLiteral():
            return record(frame, node, expected)
        case ast.Match():
            return match_arms(frame, node, expected)
        case ast.VariantMatch():
            return variant_match(frame, node, expected)
        case ast.Lambda() | ast.Ignoring() | ast.InlineRetrieval() | ast.Unsupported():
            return misplaced(frame, node)
        case _:
            return constant(frame, node, expected)


Misplaced = ast.Lambda | ast.Ignoring | ast.InlineRetrieval | ast.Unsupported


def misplaced(frame: Frame, node: Misplaced) -> Expr | None:
    """What is no value by itself."""
    match node:
        case ast.Lambda(at=at):
            return frame.fail(LambdaPosition(at=frame.at(at)))
        case ast.Ignoring():
            return without_read(frame, node)
        case ast.InlineRetrieval(at=at):
            return frame.fail(ReadPosition(at=frame.at(at), case="retrieval"))
        case ast.Unsupported(at=at, feature=feature):
            return frame.unsupported(at, feature)
    assert_never(node)


def without_read(frame: Frame, node: ast.Ignoring) -> Expr | None:
    """What is read inside an expression is reported for that; anything else has nothing to ignore."""
    before = len(frame.scope.source.problems)
    if frame.lower(node.target) is not None or len(frame.scope.source.problems) == before:
        frame.report(ReadPosition(at=frame.at(node.at), case="ignoring"))
    return None


def constant(frame: Frame, node: Constant, expected: Type | None) -> Expr | None:
    match node:
        case ast.IntLiteral():
            return whole(frame, node)
        case ast.DecimalLiteral():
            return decimal(frame, node)
        case ast.StringLiteral(at=at, value=text):
            doubt_holes(frame, at, text, "text")
            return Literal(type=STRING, text=text)
        case ast.BoolLiteral(value=truth):
            return Literal(type=BOOL, text="true" if truth else "false")
        case ast.NullLiteral():
            return Null(type=expected if isinstance(expected, OptionalType) else NULL)
        case ast.ListLiteral():
            return list_literal(frame, node, expected)
    assert_never(node)


def whole(frame: Frame, node: ast.IntLiteral) -> Expr | None:
    if node.value >= _LONG_LIMIT:
        hint = "write a decimal"
        problem = LiteralOutOfRange(at=frame.at(node.at), literal=str(node.value), type="long", hint=hint)
        return frame.fail(problem)
    return Literal(type=INT if node.value < _INT_LIMIT else LONG, text=str(node.value))


def decimal(frame: Frame, node: ast.DecimalLiteral) -> Expr | None:
    """Canonical: no leading zeros before the point, no trailing ones after it."""
    whole_digits, _, places = node.text.partition(".")
    places = places.rstrip("0")
    whole_digits = whole_digits.lstrip("0") or "0"
    if len(places) > _DECIMAL_PLACES or len(whole_digits) > _DECIMAL_WHOLE_DIGITS:
        hint = "a decimal has at most 16 digits before and 12 after the point"
        problem = LiteralOutOfRange(at=frame.at(node.at), literal=node.text, type="decimal", hint=hint)
        return frame.fail(problem)
    return Literal(type=DECIMAL, text=f"{whole_digits}.{places}" if places else whole_digits)


def ternary(frame: Frame, node: ast.Ternary, expected: Type | None) -> Expr | None:
    condition = frame.lower(node.condition, BOOL)
    if condition is not None and condition.type != BOOL:
        at = frame.at(node.at)
        condition = frame.fail(TernaryCondition(at=at, found=show(condition.type)))
    inner = narrowed_by(frame, node.condition), checked_by(frame, node.condition, Check.ELSE, holds=False)
    then, otherwise = branches([(inner[0], node.then), (inner[1], node.otherwise)], expected)
    return _conditional(frame, node.at, condition, then, otherwise)


def _conditional(
    frame: Frame, at: int, condition: Expr | None, then: Expr | None, otherwise: Expr | None
) -> Expr | None:
    if then is None or otherwise is None:
        return None
    joined = join(then, otherwise)
    if joined is None:
        left, right = show(then.type), show(otherwise.type)
        return frame.fail(TernaryBranches(at=frame.at(at), left=left, right=right))
    if condition is None:
        return None
    return Conditional(type=joined[0].type, condition=condition, then=joined[0], otherwise=joined[1])


def match_arms(frame: Frame, node: ast.Match, expected: Type | None) -> Expr | None:
    """Nested conditionals: the first arm whose condition holds gives the value."""
    if node.otherwise is None:
        return frame.fail(MatchWithoutElse(at=frame.at(node.at)))
    written = [(narrowed_by(frame, arm.condition), arm.value) for arm in node.arms]
    *values, result = branches([*written, (frame, node.otherwise)], expected)
    for arm, value in reversed(list(zip(node.arms, values, strict=True))):
        condition = frame.lower(arm.condition, BOOL)
        if condition is not None and condition.type != BOOL:
            condition = frame.fail(TernaryCondition(at=frame.at(arm.at), found=show(condition.type)))
        result = _conditional(frame, arm.at, condition, value, result)
    return result


def list_literal(frame: Frame, node: ast.ListLiteral, expected: Type | None) -> Expr | None:
    target = without_optional(expected) if expected is not None else None
    wanted = target.of if isinstance(target, ArrayType) else None
    items = [frame.lower(item, wanted) for item in node.items]
    whole_items = [item for item in items if item is not None]
    if len(whole_items) < len(items):
        return None
    if wanted is None and not items:
        if expected == UNTOLD:
            return None
        return frame.fail(TypeUnknownHere(at=frame.at(node.at), literal="[]"))
    return _typed_list(frame, node, whole_items, wanted or whole_items[0].type)


def _typed_list(frame: Frame, node: ast.ListLiteral, items: list[Expr], element: Type) -> Expr | None:
    for item in items:  # a wider element later on widens the list
        joined = join(item, items[0])
        if fitted(item, element) is None and joined is not None:
            element = joined[0].type
    fitting = []
    for item, written in zip(items, node.items, strict=True):
        value = fitted(item, element)
        if value is None:
            at = frame.at(written.at)
            return frame.fail(ListElementType(at=at, first=show(element), found=show(item.type)))
        fitting.append(value)
    return ListLiteral(type=ArrayType(of=element), items=tuple(fitting))
