"""Operators: which types they take together, in which domain they work, and what they give.

In: unary and binary nodes as written. Out: typed operations whose operands are already of the domain.
Never: precedence (the tree has it) or anything about how a target computes.
"""

from __future__ import annotations

from loom.ir.expressions import Expr, Literal, Logic, Logical, Negate, Not
from loom.ir.types import BOOL, DECIMAL, DURATION, INT, LONG, MONEY
from loom.lower.expressions.guards import checked_by
from loom.lower.expressions.operators.arithmetic import arithmetic
from loom.lower.expressions.operators.comparison import compare
from loom.lower.problems.types import OperandType
from loom.lower.scope.frames import Check, Frame
from loom.lower.scope.relations import domain_of, show
from loom.parse import ast

_LOGIC = {ast.BinaryOperator.AND: Logic.AND, ast.BinaryOperator.OR: Logic.OR}
_EQUALITY = (ast.BinaryOperator.EQUAL, ast.BinaryOperator.NOT_EQUAL)
_ORDER = (
    ast.BinaryOperator.LESS,
    ast.BinaryOperator.LESS_EQUAL,
    ast.BinaryOperator.GREATER,
    ast.BinaryOperator.GREATER_EQUAL,
)
_SIGNED = (INT, LONG, DECIMAL, MONEY, DURATION)


def binary(frame: Frame, node: ast.Binary) -> Expr | None:
    if node.operator in _LOGIC:
        return _logical(frame, node, _LOGIC[node.operator])
    if node.operator in _EQUALITY or node.operator in _ORDER:
        return compare(frame, node)
    return arithmetic(frame, node)


def _logical(frame: Frame, node: ast.Binary, op: Logic) -> Expr | None:
    operands = []
    inner = frame
    for written in node.operands:
        operands.append(inner.lower(written, BOOL))
        inner = checked_by(inner, written, Check(op.value), holds=op is Logic.AND)
    for operand, written in zip(operands, node.operands, strict=True):
        if operand is not None and operand.type != BOOL:
            at = frame.at(written.at)
            found = show(operand.type)
            frame.report(OperandType(at=at, operator=op.value, found=found, expected="bools"))
    sound = [item for item in operands if item is not None and item.type == BOOL]
    if len(sound) < len(operands):
        return None
    return Logical(type=BOOL, op=op, operands=tuple(sound))


def unary(frame: Frame, node: ast.Unary) -> Expr | None:
    operand = frame.lower(node.operand, None)
    if operand is None:
        return None
    at = frame.at(node.at)
    if node.operator is ast.UnaryOperator.NOT:
        if operand.type == BOOL:
            return Not(type=BOOL, operand=operand)
        return frame.fail(OperandType(at=at, operator="!", found=show(operand.type), expected="a bool"))
    domain = domain_of(operand.type)
    if operand.type in _SIGNED and domain is not None:
        return _negated(operand, Negate(type=operand.type, domain=domain, operand=operand))
    expected = "a number, money or duration"
    return frame.fail(OperandType(at=at, operator="-", found=show(operand.type), expected=expected))


def _negated(operand: Expr, negation: Negate) -> Expr:
    """The least int is written with a literal that is no int by itself."""
    if isinstance(operand, Literal) and operand.type == LONG and operand.text == str(2**31):
        return Literal(type=INT, text=f"-{operand.text}")
    return negation
