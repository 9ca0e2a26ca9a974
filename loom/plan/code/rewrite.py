"""Replacing expressions inside expressions.

In: an expression and what becomes of each node. Out: the expression with its nodes replaced, innermost first.
Never: knowledge of node kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from loom.base import Value, mapped
from loom.ir import expressions as ir
from loom.ir.expressions import Expr

EXPRESSIONS = (
    ir.Literal,
    ir.Null,
    ir.EnumLiteral,
    ir.ListLiteral,
    ir.This,
    ir.Local,
    ir.Field,
    ir.Arithmetics,
    ir.Logical,
    ir.Compare,
    ir.Not,
    ir.Negate,
    ir.Conditional,
    ir.Convert,
    ir.Call,
    ir.Lambda,
    ir.FunctionCall,
    ir.Construct,
    ir.Now,
)

V = TypeVar("V", bound=Value)


def rewrite(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """`expr` with `change` applied to every expression in it, operands before what holds them."""
    return change(_inside(expr, change))


def rewritten(root: V, change: Callable[[Expr], Expr]) -> V:
    """What holds expressions, a step say, with every expression in it replaced."""
    return _inside(root, change)


def _inside(node: V, change: Callable[[Expr], Expr]) -> V:
    return mapped(node, lambda item: _item(item, change), but="type")


def _item(item: object, change: Callable[[Expr], Expr]) -> object:
    if isinstance(item, EXPRESSIONS):
        return rewrite(item, change)
    if isinstance(item, Value):
        return _inside(item, change)
    if isinstance(item, tuple):
        parts = tuple(_item(part, change) for part in item)
        return item if all(new is old for new, old in zip(parts, item, strict=True)) else parts
    return item
