"""Values in the place of names.

In: an expression and what its locals stand for. Out: the expression without those locals.
Never: a change of a lambda's own variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from loom.base import Value, descendants, mapped
from loom.ir.expressions import Expr, Lambda, Local

V = TypeVar("V", bound=Value)


def substituted(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    if isinstance(expr, Local):
        return values.get(expr.name, expr)
    if isinstance(expr, Lambda):
        values = {name: value for name, value in values.items() if name != expr.parameter}
        if expr.parameter in {item.name for item in descendants(*values.values()) if isinstance(item, Local)}:
            expr, values = _renamed(expr, values)
    return _inside(expr, values) if values else expr


def _renamed(expr: Lambda, values: Mapping[str, Expr]) -> tuple[Lambda, Mapping[str, Expr]]:
    """A lambda whose variable is none of the names that come into it."""
    taken = {item.name for item in descendants(expr, *values.values()) if isinstance(item, Local)}
    fresh = expr.parameter
    while fresh in taken:
        fresh += "Inner"
    variable = Local(type=expr.parameter_type, name=fresh)
    return expr.model_copy(update={"parameter": fresh}), {**values, expr.parameter: variable}


def _inside(node: V, values: Mapping[str, Expr]) -> V:
    return mapped(node, lambda item: _item(item, values))


def _item(item: object, values: Mapping[str, Expr]) -> object:
    if isinstance(item, Local | Lambda):
        return substituted(item, values)
    if isinstance(item, Value):
        return _inside(item, values)
    if isinstance(item, tuple):
        return tuple(_item(part, values) for part in item)
    return item
