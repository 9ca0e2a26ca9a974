"""What the renderer asks of expressions before it spells them.

In: expressions. Out: facts about them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import astuple

from loom.base import Value
from loom.emit.narrowing import taken
from loom.ir import expressions as ir
from loom.ir.expressions import Expr
from loom.ir.statements import Invoke
from loom.ir.types import BOOL, INT, LONG, STRING
from loom.plan.steps import DeleteStep, Save


def reads(e: Value, name: str) -> bool:
    """Whether what is printed of `e`, an expression or a step, needs the variable `name`, and not one inside it."""
    pending: list[object] = [e]
    while pending:
        match pending.pop():
            case ir.Local(name=other) | Save(name=other) | DeleteStep(name=other) | Invoke(receiver=other) if (
                other == name
            ):
                return True
            case ir.Lambda(parameter=parameter) if parameter == name:
                pass
            case ir.Conditional(condition=ir.Literal()) as decided:
                pending.append(taken(decided))
            case tuple() as items:
                pending += items
            case Value() as value:
                pending += astuple(value)
    return False


def is_literal(e: Expr) -> bool:
    return isinstance(e, ir.Literal | ir.EnumLiteral)


def has_written_value(e: Expr) -> bool:
    """Whether a value of `e` is written out, so that the type checker takes it for the only one there can be."""
    match taken(e):
        case ir.Conditional(then=then, otherwise=otherwise):
            return has_written_value(then) or has_written_value(otherwise)
        case ir.Literal(type=kind):
            return kind in (BOOL, INT, LONG, STRING)
        case left:
            return isinstance(left, ir.EnumLiteral)


def flattened(e: ir.Logical) -> Iterator[Expr]:
    """The operands of a chain; one of the same operator is part of it."""
    for operand in e.operands:
        if isinstance(operand, ir.Logical) and operand.op is e.op:
            yield from flattened(operand)
        else:
            yield operand


def joined_texts(operands: Iterable[Expr]) -> list[Expr]:
    """The operands, neighbouring literals as one: `$` and `{` must be escaped when they meet."""
    joined: list[Expr] = []
    for operand in operands:
        last = joined[-1] if joined else None
        if isinstance(last, ir.Literal) and isinstance(operand, ir.Literal):
            joined[-1] = ir.Literal(type=last.type, text=last.text + operand.text)
        else:
            joined.append(operand)
    return joined
