"""What an expression consists of.

In: an expression. Out: the expressions inside it.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import astuple

from loom.ir.expressions import (
    Arithmetics,
    Call,
    Compare,
    Conditional,
    Construct,
    Convert,
    EnumLiteral,
    Expr,
    Field,
    FieldValue,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Logical,
    Negate,
    Not,
    Now,
    Null,
)
from tests.kit.expression_model import LOCALS


def parts_of(e: Any) -> list[Expr]:  # noqa: ANN401 - the members of a node are expressions, texts, tuples of both
    """The expressions directly below a node, in order."""
    below: list[Expr] = []
    for value in astuple(e):
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, FieldValue):
                below.append(item.value)
            elif isinstance(item, _NODES):
                below.append(item)
    return below


_NODES = (
    Arithmetics,
    Call,
    Compare,
    Conditional,
    Construct,
    Convert,
    EnumLiteral,
    Field,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Logical,
    Negate,
    Not,
    Now,
    Null,
)


def closed_parts(e: Expr) -> list[Expr]:
    """`e` and what is below it, without what only means something inside a lambda or a guard."""
    own = [] if isinstance(e, Lambda) or _is_open(e) else [e]
    return [*own, *(part for below in parts_of(e) for part in closed_parts(below))]


def _is_open(e: Expr) -> bool:
    """Whether a name in `e` is no local as it is declared."""
    if isinstance(e, Local):
        return e.name not in LOCALS or LOCALS[e.name][0] != e.type
    if isinstance(e, Lambda):
        return any(local for local in _names(e.body) if local.name != e.parameter and _is_open(local))
    return any(map(_is_open, parts_of(e)))


def _names(e: Expr) -> list[Local]:
    return [e] if isinstance(e, Local) else [local for part in parts_of(e) for local in _names(part)]


def size(e: Expr) -> int:
    return 1 + sum(map(size, parts_of(e)))
