"""What the renderer asks of expressions before it spells them.

In: expressions. Out: facts about them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import descendants
from loom.ir import expressions as ir
from loom.ir.expressions import Expr

Leaf = (
    ir.Literal
    | ir.Null
    | ir.EnumLiteral
    | ir.ListLiteral
    | ir.This
    | ir.Local
    | ir.Field
    | ir.Negate
    | ir.Conditional
    | ir.Convert
    | ir.Lambda
    | ir.FunctionCall
    | ir.Construct
    | ir.Now
)


def reads(e: Expr, name: str) -> bool:
    """Whether `e` reads the variable called `name`, and not one of that name inside it."""
    hidden = {
        id(node)
        for inner in descendants(e)
        if isinstance(inner, ir.Lambda) and inner.parameter == name
        for node in descendants(inner.body)
    }
    return any(isinstance(node, ir.Local) and node.name == name and id(node) not in hidden for node in descendants(e))


def is_literal(e: Expr) -> bool:
    return isinstance(e, ir.Literal | ir.EnumLiteral)


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
