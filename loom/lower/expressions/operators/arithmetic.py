"""Arithmetic: the table of the language, pair by pair from the left, chains joined into one node.

In: a binary node of two or more operands. Out: operations in one domain each.
Never: constant folding.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.ir.expressions import Arithmetic, Arithmetics, Convert, Domain, Expr, Field, FieldKind
from loom.ir.types import (
    DATETIME,
    DECIMAL,
    DURATION,
    INT,
    MONEY,
    STRING,
    AggregateType,
    EnumType,
    IdType,
    OptionalType,
    Scalar,
    ScalarKind,
    Type,
)
from loom.lower.expressions.guards import advice
from loom.lower.problems.types import OperandTypes
from loom.lower.scope.frames import Frame
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.relations import convert, domain_of, is_literal_for, is_number, show, widest
from loom.parse import ast

_OPERATIONS = {
    ast.BinaryOperator.ADD: Arithmetic.ADD,
    ast.BinaryOperator.SUBTRACT: Arithmetic.SUBTRACT,
    ast.BinaryOperator.MULTIPLY: Arithmetic.MULTIPLY,
    ast.BinaryOperator.DIVIDE: Arithmetic.DIVIDE,
    ast.BinaryOperator.REMAINDER: Arithmetic.REMAINDER,
}
_CHAINS = (Arithmetic.ADD, Arithmetic.MULTIPLY)
_SUM = (Arithmetic.ADD, Arithmetic.SUBTRACT)
_PRINTABLE = (
    ScalarKind.STRING,
    ScalarKind.INT,
    ScalarKind.LONG,
    ScalarKind.DECIMAL,
    ScalarKind.MONEY,
    ScalarKind.BOOL,
    ScalarKind.GUID,
)


def arithmetic(frame: Frame, node: ast.Binary) -> Expr | None:
    op = _OPERATIONS[node.operator]
    operands = [frame.lower(item, None) for item in node.operands]
    result, more = operands[0], list[Expr]()
    for operand, written in zip(operands[1:], node.operands[1:], strict=True):
        if result is None or operand is None:
            return None
        if (joined := _joining(frame, op, result, operand)) is not None:
            more.append(joined)
            continue
        left = Side(_extended(result, more), node.operands[0])
        result, more = combine(frame, node.at, op, left, Side(operand, written)), []
    return None if result is None else _extended(result, more)


def _joining(frame: Frame, op: Arithmetic, chain: Expr, operand: Expr) -> Expr | None:
    """The operand as it goes into a chain without changing its type; None when it does not."""
    if not isinstance(chain, Arithmetics) or chain.op is not op or op not in _CHAINS:
        return None
    if chain.type == STRING:
        return as_string(frame, operand)
    if chain.type == MONEY:
        return _as_money(operand) if op is Arithmetic.ADD else None
    return convert(operand, chain.type) if widest(chain.type, operand.type) == chain.type else None


# A chain may have as many operands as fit into a file: each must not copy those before it.
# kept by tests/unit/lower/test_long_chains.py::test_a_chain_takes_time_that_grows_with_it
def _extended(chain: Expr, more: list[Expr]) -> Expr:
    if not more or not isinstance(chain, Arithmetics):
        return chain
    return chain.model_copy(update={"operands": (*chain.operands, *more)})


class Side(NamedTuple):
    """An operand, and what was written for it."""

    value: Expr
    written: ast.Expression


def combine(frame: Frame, at: int, op: Arithmetic, left: Side, right: Side) -> Expr | None:
    """`left op right`, or a report when the types do not go together."""
    one, two = left.value, right.value
    if op is Arithmetic.ADD and STRING in (one.type, two.type):
        made = _concatenation(frame, one, two)
    elif DURATION in (one.type, two.type) or one.type == two.type == DATETIME:
        made = _temporal(op, one, two)
    elif MONEY in (one.type, two.type):
        made = _monetary(op, one, two)
    else:
        made = _numeric(op, one, two)
    if made is not None:
        return made
    shown = (show(one.type), show(two.type))
    hint = _hint(frame, left, right)
    return frame.fail(OperandTypes(at=frame.at(at), operator=op.value, left=shown[0], right=shown[1], hint=hint))


def _numeric(op: Arithmetic, left: Expr, right: Expr) -> Expr | None:
    wide = widest(left.type, right.type)
    if wide is None:
        return None
    domain_type = DECIMAL if op is Arithmetic.DIVIDE else wide
    return chained(op, domain_type, convert(left, domain_type), convert(right, domain_type))


def _monetary(op: Arithmetic, left: Expr, right: Expr) -> Expr | None:
    """Money goes with money for sums, and with a plain number for products and quotients."""
    if op in _SUM:
        one, two = _as_money(left), _as_money(right)
        return chained(op, MONEY, one, two) if one is not None and two is not None else None
    if op is Arithmetic.MULTIPLY and is_number(left.type):
        return chained(op, MONEY, convert(left, DECIMAL), right)
    if op in (Arithmetic.MULTIPLY, Arithmetic.DIVIDE) and left.type == MONEY and is_number(right.type):
        return chained(op, MONEY, left, convert(right, DECIMAL))
    return None


def _as_money(operand: Expr) -> Expr | None:
    if operand.type == MONEY:
        return operand
    return convert(operand, MONEY) if is_literal_for(operand, MONEY) else None


def _temporal(op: Arithmetic, left: Expr, right: Expr) -> Expr | None:
    match left.type, op, right.type:
        case (t, Arithmetic.ADD | Arithmetic.SUBTRACT, d) if t == DATETIME and d == DURATION:
            return _node(op, DATETIME, Domain.DATETIME, left, right)
        case (d, Arithmetic.ADD, t) if d == DURATION and t == DATETIME:
            return _node(op, DATETIME, Domain.DATETIME, right, left)
        case (t, Arithmetic.SUBTRACT, u) if t == u == DATETIME:
            return _node(op, DURATION, Domain.DATETIME, left, right)
        case (d, Arithmetic.ADD | Arithmetic.SUBTRACT, e) if d == e == DURATION:
            return chained(op, DURATION, left, right)
        case (d, Arithmetic.MULTIPLY, n) if d == DURATION and n == INT:
            return _node(op, DURATION, Domain.DURATION, left, right)
        case (n, Arithmetic.MULTIPLY, d) if d == DURATION and n == INT:
            return _node(op, DURATION, Domain.DURATION, right, left)
        case _:
            return None


def chained(op: Arithmetic, type_: Type, left: Expr, right: Expr) -> Expr | None:
    """`left op right`; a sum or product that `left` already is takes `right` as one more operand."""
    domain = domain_of(type_)
    if domain is None:
        return None
    is_chain = isinstance(left, Arithmetics) and op in _CHAINS and left.op is op and left.domain is domain
    if isinstance(left, Arithmetics) and is_chain:
        return Arithmetics(type=type_, op=op, domain=domain, operands=(*left.operands, right))
    return _node(op, type_, domain, left, right)


def _node(op: Arithmetic, type_: Type, domain: Domain, left: Expr, right: Expr) -> Expr:
    return Arithmetics(type=type_, op=op, domain=domain, operands=(left, right))


def _concatenation(frame: Frame, left: Expr, right: Expr) -> Expr | None:
    one, two = as_string(frame, left), as_string(frame, right)
    return None if one is None or two is None else chained(Arithmetic.ADD, STRING, one, two)


def as_string(frame: Frame, expr: Expr) -> Expr | None:
    """`expr` as a string where the language prints it without being asked; None where it does not."""
    match expr.type:
        case Scalar(kind=kind) if kind in _PRINTABLE:
            return convert(expr, STRING)
        case EnumType() | IdType():
            return Convert(type=STRING, operand=expr)
        case AggregateType():
            shape = instance_of(frame.scope.tables, expr.type)
            if shape is not None and (label := shape.members.get("display")) and label.type == STRING:
                return Field(type=STRING, receiver=expr, name="display", kind=FieldKind.DERIVED)
    return None


def _hint(frame: Frame, left: Side, right: Side) -> str:
    for side in (left, right):
        if isinstance(side.value.type, OptionalType):
            return advice(frame, side.written)
    kinds = (left.value.type, right.value.type)
    if MONEY in kinds and any(map(is_number, kinds)):
        return "convert with `money(…)` or `decimal(…)`"
    if STRING in kinds and DATETIME in kinds:
        return "a datetime is not printed into a string"
    if DATETIME in kinds and any(map(is_number, kinds)):
        return "say of what: `days(…)`, `hours(…)` or `minutes(…)`"
    return ""
