"""Comparisons and choices that reading decides, as what they are worth: checkers of several targets refuse them.

In: a context, or an expression. Out: the same with `1 == 2` and `x == x` as literals, and `c ? true : false` as `c`.
Never: a comparison whose sides may be refused, such as a sum, or whose condition is asked of a database.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeVar

from loom.base import Value, mapped
from loom.ir import expressions as ir
from loom.ir.expressions import Comparison, Domain, Expr, FieldKind
from loom.ir.program import Find
from loom.ir.types import BOOL, code_in
from loom.plan.code.rewrite import is_expression, rewrite

V = TypeVar("V", bound=Value)
Ordered = TypeVar("Ordered", Decimal, str)

_NUMBERS = frozenset({Domain.INT, Domain.LONG, Domain.DECIMAL, Domain.MONEY})
_TEXTS = frozenset({Domain.STRING, Domain.BOOL, Domain.ENUM})
_SIGNS: Mapping[Comparison, frozenset[int]] = {
    Comparison.EQ: frozenset({0}),
    Comparison.NE: frozenset({-1, 1}),
    Comparison.LT: frozenset({-1}),
    Comparison.LE: frozenset({-1, 0}),
    Comparison.GT: frozenset({1}),
    Comparison.GE: frozenset({0, 1}),
}


def settled(node: V) -> V:
    """`node` with every expression in it settled, but for conditions of finds."""
    asked = (item for item in code_in(node) if isinstance(item, ir.Compare | ir.Conditional))
    return _settled(node) if any(settle(item) is not item for item in asked) else node


def _settled(node: V) -> V:
    return mapped(node, _item)


def _item(item: object) -> object:
    if is_expression(item):
        return rewrite(item, settle)
    if isinstance(item, tuple):
        parts = tuple(map(_item, item))
        return item if all(new is old for new, old in zip(parts, item, strict=True)) else parts
    return _settled(item) if isinstance(item, Value) and not isinstance(item, Find) else item


def settle(e: Expr) -> Expr:
    """A comparison of literals, or of a value with itself, as `true` or `false`; a choice of these as its condition."""
    match e:
        case ir.Compare():
            return _compared(e)
        case ir.Conditional():
            return _chosen(e)
        case _:
            return e


def _compared(e: ir.Compare) -> Expr:
    sign = 0 if e.left == e.right and _is_path(e.left) else _sign(e)
    return e if sign is None else ir.Literal(type=e.type, text="true" if sign in _SIGNS[e.op] else "false")


def _chosen(e: ir.Conditional) -> Expr:
    """Where both answers are the same, the condition is asked all the same: it may be refused."""
    then, otherwise = _truth(e.then), _truth(e.otherwise)
    if then is None or otherwise is None:
        return e
    if then is not otherwise:
        return e.condition if then else ir.Not(type=e.type, operand=e.condition)
    op = ir.Logic.OR if then else ir.Logic.AND
    return ir.Logical(type=e.type, op=op, operands=(e.condition, e.then))


def _truth(e: Expr) -> bool | None:
    match e:
        case ir.Literal(text=text, type=kind) if kind == BOOL:
            return text == "true"
        case ir.Conditional(condition=ir.Literal(text=text)):
            return _truth(e.then if text == "true" else e.otherwise)
        case _:
            return None


def _is_path(e: Expr) -> bool:
    """Whether `e` is read as it stands, so that nothing of it can be refused."""
    match e:
        case ir.Field(receiver=receiver, kind=kind):
            return kind is not FieldKind.DERIVED and _is_path(receiver)
        case _:
            return isinstance(e, ir.Local | ir.This | ir.Now | ir.Null)


def _sign(e: ir.Compare) -> int | None:
    """How the left literal stands to the right one."""
    match e.left, e.right:
        case ir.Literal(text=left), ir.Literal(text=right) if e.domain in _NUMBERS:
            return _order(Decimal(left), Decimal(right))
        case ir.Literal(text=left), ir.Literal(text=right) if e.domain in _TEXTS:
            return _order(left, right)
        case ir.EnumLiteral(value=left), ir.EnumLiteral(value=right):
            return _order(left, right)
        case _:
            return None


def _order(left: Ordered, right: Ordered) -> int:
    return (left > right) - (left < right)
