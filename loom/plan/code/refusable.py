"""Expressions that may end in an error of arithmetic or of a rule, so that it matters when they are evaluated.

In: expressions. Out: whether anybody can tell: expressions change nothing, so among operands it takes two.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.ir.expressions import (
    Construct,
    Convert,
    EnumLiteral,
    Expr,
    Field,
    FieldKind,
    ListLiteral,
    Literal,
    Local,
    Now,
    Null,
    This,
)
from loom.ir.types import MONEY, EventType, PartType, RecordType


def order_matters(operands: Sequence[Expr]) -> bool:
    return sum(map(can_be_refused, operands)) > 1


def can_be_refused(e: Expr) -> bool:
    """Whether evaluating `e` may end in an error of arithmetic or of a rule."""
    match e:
        case Literal() | Null() | EnumLiteral() | This() | Local() | Now():
            return False
        case Field(kind=kind, receiver=receiver):
            return kind is FieldKind.DERIVED or can_be_refused(receiver)
        case Construct(type=PartType() | RecordType() | EventType(), fields=fields):
            return any(can_be_refused(item.value) for item in fields)
        case ListLiteral(items=items):
            return any(map(can_be_refused, items))
        case Convert(operand=operand):
            return operand.type == MONEY or can_be_refused(operand)
        case _:
            return True
