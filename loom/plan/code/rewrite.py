"""Replacing expressions inside expressions.

In: an expression and what becomes of each node. Out: the expression with its nodes replaced, innermost first.
Never: knowledge of node kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard, TypeVar, get_args

from loom.base import Value, mapped
from loom.ir.expressions import Expr

# By exact type: asking for each kind in turn takes longer than all else that a walk does.
_KINDS = frozenset[type](get_args(Expr))

V = TypeVar("V", bound=Value)


def is_expression(item: object) -> TypeGuard[Expr]:
    """Whether it is of one of the kinds of expressions."""
    return type(item) in _KINDS


def rewrite(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """`expr` with `change` applied to every expression in it, operands before what holds them."""
    return change(_inside(expr, change))


def rewritten(root: V, change: Callable[[Expr], Expr]) -> V:
    """What holds expressions, a step say, with every expression in it replaced."""
    return _inside(root, change)


def _inside(node: V, change: Callable[[Expr], Expr]) -> V:
    return mapped(node, lambda item: _item(item, change), but="type")


def _item(item: object, change: Callable[[Expr], Expr]) -> object:
    if is_expression(item):
        return rewrite(item, change)
    if isinstance(item, Value):
        return _inside(item, change)
    if isinstance(item, tuple):
        parts = tuple(_item(part, change) for part in item)
        return item if all(new is old for new, old in zip(parts, item, strict=True)) else parts
    return item
