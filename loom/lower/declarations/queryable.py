"""The part of the language that a database answers: one column against one value, joined by logic.

In: a lowered condition of a find, a filter or a criterion. Out: why it is outside that part, or nothing.
Never: how a target asks it.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.base import Diagnostic, NodePath, descendants
from loom.ir.expressions import (
    Arithmetics,
    Call,
    Claim,
    Compare,
    Conditional,
    Convert,
    Domain,
    EnumLiteral,
    Expr,
    Field,
    FieldKind,
    Fn,
    FunctionCall,
    Literal,
    Local,
    Logical,
    Negate,
    Not,
    Now,
    Null,
    ServiceCall,
    This,
)
from loom.ir.types import BOOL, DATETIME, ArrayType, OptionalType
from loom.lower.problems.finds import FindWhereColumnColumn, FindWhereNotQueryable
from loom.lower.problems.reading import RetrievalWhereColumnColumn, RetrievalWhereNotQueryable
from loom.lower.scope.relations import is_number, without_optional

_COLUMN_TEXT = (Fn.TRIM, Fn.TO_LOWER, Fn.TO_UPPER)
_TEXT_TESTS = (Fn.STARTS_WITH, Fn.ENDS_WITH, Fn.STRING_CONTAINS)
_DURATIONS = (Fn.DAYS, Fn.HOURS, Fn.MINUTES)


class Obstacle(NamedTuple):
    """Why a database cannot answer; `columns` are the two that are compared, when it is that."""

    reason: str
    columns: tuple[str, str] | None = None


class Refusals(NamedTuple):
    """What is told of a condition with an obstacle, by what it is the condition of."""

    columns: type[FindWhereColumnColumn | RetrievalWhereColumnColumn]
    other: type[FindWhereNotQueryable | RetrievalWhereNotQueryable]

    def of(self, at: NodePath, obstacle: Obstacle) -> Diagnostic:
        if obstacle.columns is not None:
            return self.columns(at=at, left=obstacle.columns[0], right=obstacle.columns[1])
        return self.other(at=at, reason=obstacle.reason)


OF_FINDS = Refusals(FindWhereColumnColumn, FindWhereNotQueryable)
OF_RETRIEVALS = Refusals(RetrievalWhereColumnColumn, RetrievalWhereNotQueryable)


def not_queryable(condition: Expr) -> Obstacle | None:  # noqa: C901 - one case a kind
    """The first reason why `condition` cannot be asked of a database."""
    match condition:
        case Logical(operands=operands):
            return next(filter(None, map(not_queryable, operands)), None)
        case Not(operand=operand):
            return not_queryable(operand)
        case Compare():
            return _comparison(condition)
        case Literal() | Local() | Claim():
            return None
        case Call(fn=Fn.CONTAINS, arguments=(Claim(), argument)) if is_value(argument):
            return None
        case Field():
            return _column_problem(condition)
        case Call(fn=fn, arguments=(receiver, argument)) if fn in _TEXT_TESTS:
            return _against(receiver, argument)
        case Call(fn=Fn.CONTAINS, arguments=(receiver, argument)):
            return _membership(receiver, argument)
    return Obstacle(_reason(condition))


def _two_columns(left: Expr, right: Expr) -> Obstacle:
    names = printed(left), printed(right)
    return Obstacle(f"`{names[0]}` and `{names[1]}` are both columns", names)


def _comparison(node: Compare) -> Obstacle | None:
    left, right = node.left, node.right
    if is_column(left) and is_column(right):
        return _two_columns(left, right)
    if node.domain is Domain.STRUCTURE:
        return Obstacle("a value object has several columns")
    return _against(left, right) if is_column(left) else _against(right, left)


def _against(column: Expr, value: Expr) -> Obstacle | None:
    if is_column(column) and is_column(value):
        return _two_columns(column, value)
    if is_value(column) and is_value(value):
        return None
    if is_column(column):
        return None if is_value(value) else Obstacle(_reason(value))
    return Obstacle(_reason(value if is_value(column) else column))


def _membership(receiver: Expr, argument: Expr) -> Obstacle | None:
    if not (_plain_field(receiver) and isinstance(receiver.type, ArrayType)):
        return Obstacle("`contains` asks a collection field")
    if isinstance(receiver, Field) and receiver.kind is not FieldKind.PROPERTY:
        return Obstacle("a containment cannot be searched")
    return None if is_value(argument) else Obstacle(_reason(argument))


def _column_problem(node: Field) -> Obstacle | None:
    if node.type == BOOL and is_column(node):
        return None
    return Obstacle(_reason(node))


def _plain_field(node: Expr) -> bool:
    """A field of the aggregate, or of a value object in it."""
    if not isinstance(node, Field) or node.kind in (FieldKind.DERIVED, FieldKind.CONTAINMENT):
        return False
    return isinstance(node.receiver, This) or _plain_field(node.receiver)


def is_column(node: Expr) -> bool:
    match node:
        case Field():
            return _plain_field(node) and not isinstance(without_optional(node.type), ArrayType)
        case Convert(operand=operand):  # a wider number is the database's own business
            return is_number(without_optional(node.type)) and is_column(operand)
        case Call(fn=fn, arguments=(operand,)) if fn in _COLUMN_TEXT or fn is Fn.START_OF_DAY:
            return is_column(operand)
        case _:
            return False


def is_value(node: Expr) -> bool:
    """Something that is known before the query runs."""
    match node:
        case Literal() | EnumLiteral() | Local() | Now() | Null() | Claim():
            return True
        case Convert(operand=operand) | Negate(operand=operand):
            return is_value(operand)
        case Arithmetics(operands=(moment, length)) if node.type == DATETIME:
            return is_value(moment) and is_value(length)
        case Call(fn=fn, arguments=arguments) if fn in _DURATIONS or fn in _COLUMN_TEXT:
            return all(map(is_value, arguments))
        case Call(fn=Fn.START_OF_DAY, arguments=(operand,)):
            return is_value(operand)
        case Field(receiver=receiver):
            return is_value(receiver)
        case _:
            return False


def reads_column(node: Expr) -> bool:
    return any(isinstance(item, This) for item in descendants(node))


def printed(node: Expr) -> str:
    match node:
        case Field(receiver=This(), name=name):
            return name
        case Field(receiver=receiver, name=name):
            return f"{printed(receiver)}.{name}"
        case Convert(operand=operand) | Call(arguments=(operand, *_)):
            return printed(operand)
        case _:
            return "a column"


def _reason(node: Expr) -> str:  # noqa: C901 - one case a kind
    match node:
        case Convert(operand=operand) if is_column(operand):
            return f"`{printed(operand)}` would have to be converted"
        case Convert(operand=operand):
            return _reason(operand)
        case Arithmetics(operands=operands):
            return "arithmetic over columns" if any(map(reads_column, operands)) else "arithmetic"
        case FunctionCall(name=name):
            return f"the function `{name}`"
        case ServiceCall(operation=name):
            return f"the operation `{name}` of a domain service"
        case Call(fn=fn):
            return f"`{fn.value.rpartition('.')[2]}`"
        case Conditional() | Compare() | Logical() | Not():
            return "a condition inside a value"
        case Field(kind=FieldKind.DERIVED, name=name):
            return f"`{name}` is derived"
        case Field(kind=FieldKind.CONTAINMENT, name=name):
            return f"`{name}` holds parts"
        case Field(name=name) if isinstance(node.type, ArrayType | OptionalType):
            return f"`{name}` is no single bool"
        case Field(receiver=receiver):
            return _reason(receiver)
        case _:
            return "this expression"
