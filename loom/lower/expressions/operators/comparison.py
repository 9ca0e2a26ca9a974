"""Comparisons: both sides brought to one type, optionals guarded.

In: a comparison as written. Out: a comparison whose operands are of one type and not optional, but for a
comparison with `null` and inside the condition of a find, where the database knows what absent means.
"""

from __future__ import annotations

from loom.ir.expressions import (
    Claim,
    Compare,
    Comparison,
    Conditional,
    Domain,
    Expr,
    Field,
    Literal,
    Local,
    Null,
)
from loom.ir.types import BOOL, MONEY, STRING, AggregateType, IdType, NullType, OptionalType, PartType, ScalarKind, Type
from loom.lower.expressions.guards import advice
from loom.lower.expressions.names import is_value_name, optional_access
from loom.lower.problems.types import OperandTypes
from loom.lower.scope.frames import QUERIES, UNTOLD, Frame
from loom.lower.scope.relations import (
    ORDERED,
    convert,
    domain_of,
    is_literal_for,
    scalar_kind,
    show,
    widest,
    without_optional,
)
from loom.parse import ast

_OPERATIONS = {item: Comparison(item.value) for item in ast.BinaryOperator if item.value in set(Comparison)}
_EQUALITY = (Comparison.EQ, Comparison.NE)
_TEXTUAL = (ScalarKind.STRING, ScalarKind.GUID)


def compare(frame: Frame, node: ast.Binary) -> Expr | None:
    op = _OPERATIONS[node.operator]
    left, right = _operands(frame, node.operands[0], node.operands[1])
    if left is None or right is None:
        return None
    if isinstance(left, Null) or isinstance(right, Null):
        return _with_null(frame, node, op, left, right)
    if isinstance(left.type, OptionalType) or isinstance(right.type, OptionalType):
        return _with_optional(frame, node, op, left, right)
    return _plain(frame, node, op, left, right)


def _operands(frame: Frame, left: ast.Expression, right: ast.Expression) -> tuple[Expr | None, Expr | None]:
    """A bare enum value takes its enum from the other side, whichever that is."""
    if isinstance(left, ast.Name) and not is_value_name(frame, left.name):
        second = frame.lower(right, None)
        return frame.lower(left, second.type if second is not None else UNTOLD), second
    first = frame.lower(left, None)
    return first, frame.lower(right, first.type if first is not None else UNTOLD)


def _with_null(frame: Frame, node: ast.Binary, op: Comparison, left: Expr, right: Expr) -> Expr | None:
    value = right if isinstance(left, Null) else left
    if op not in _EQUALITY or not isinstance(value.type, OptionalType):
        hint = "" if op in _EQUALITY else "`null` has no order"
        hint = hint or f"{show(value.type)} is never null"
        return frame.fail(_mismatch(frame, node, op, left, right, hint))
    other = Null(type=value.type)
    return Compare(type=BOOL, op=op, domain=Domain.NULL, left=value, right=other)


def _with_optional(frame: Frame, node: ast.Binary, op: Comparison, left: Expr, right: Expr) -> Expr | None:
    if op not in _EQUALITY:
        unsure = node.operands[0] if isinstance(left.type, OptionalType) else node.operands[1]
        return frame.fail(_mismatch(frame, node, op, left, right, advice(frame, unsure)))
    if frame.body in QUERIES:
        return _plain(frame, node, op, left, right)
    for side, written in zip((left, right), node.operands, strict=True):
        if isinstance(side.type, OptionalType) and not isinstance(side, Local | Field | Claim):
            return frame.fail(optional_access(frame, written, written.at))
    inner = _plain(frame, node, op, _certain(left), _certain(right))
    return None if inner is None else _guarded(op, left, right, inner)


def _certain(expr: Expr) -> Expr:
    """A read of an optional where it is known to be there."""
    if isinstance(expr, Local | Field | Claim) and isinstance(expr.type, OptionalType):
        return expr.model_copy(update={"type": expr.type.of})
    return expr


def _guarded(op: Comparison, left: Expr, right: Expr, inner: Expr) -> Expr:
    """Absent equals absent only: `a? == b` is `a != null ? a == b : false`."""
    if not isinstance(left.type, OptionalType):
        return _when_there(right, inner, _truth(op is Comparison.NE))
    if not isinstance(right.type, OptionalType):
        return _when_there(left, inner, _truth(op is Comparison.NE))
    both = _when_there(right, inner, _truth(op is Comparison.NE))
    neither = Compare(type=BOOL, op=op, domain=Domain.NULL, left=right, right=Null(type=right.type))
    return _when_there(left, both, neither)


def _when_there(value: Expr, then: Expr, otherwise: Expr) -> Expr:
    null = Null(type=value.type)
    condition = Compare(type=BOOL, op=Comparison.NE, domain=Domain.NULL, left=value, right=null)
    return Conditional(type=BOOL, condition=condition, then=then, otherwise=otherwise)


def _truth(value: bool) -> Expr:
    return Literal(type=BOOL, text="true" if value else "false")


def _plain(frame: Frame, node: ast.Binary, op: Comparison, left: Expr, right: Expr) -> Expr | None:
    sides = comparable(left, right)
    domain = domain_of(sides[0].type) if sides is not None else None
    if sides is None or domain is None or (op not in _EQUALITY and domain not in ORDERED):
        hint = _hint(op, left, right, sides is not None)
        return frame.fail(_mismatch(frame, node, op, left, right, hint))
    return Compare(type=BOOL, op=op, domain=domain, left=sides[0], right=sides[1])


def comparable(left: Expr, right: Expr) -> tuple[Expr, Expr] | None:
    """Both sides in the type that they are compared in, or None."""
    one, two = without_optional(left.type), without_optional(right.type)
    if one == two:
        return left, right
    if (wide := widest(one, two)) is not None:
        return _to(left, wide), _to(right, wide)
    if one == MONEY and is_literal_for(right, MONEY):
        return left, convert(right, MONEY)
    if two == MONEY and is_literal_for(left, MONEY):
        return convert(left, MONEY), right
    if scalar_kind(one) in _TEXTUAL and scalar_kind(two) in _TEXTUAL:
        return _to(left, STRING), _to(right, STRING)
    return None


def _to(expr: Expr, target: Type) -> Expr:
    if isinstance(expr.type, OptionalType):
        return expr if expr.type.of == target else convert(expr, OptionalType(of=target))
    return convert(expr, target)


def _mismatch(frame: Frame, node: ast.Binary, op: Comparison, left: Expr, right: Expr, hint: str) -> OperandTypes:
    return OperandTypes(
        at=frame.at(node.at), operator=op.value, left=show(left.type), right=show(right.type), hint=hint
    )


def _hint(op: Comparison, left: Expr, right: Expr, same: bool) -> str:
    if same and op not in _EQUALITY:
        return "only numbers, money, strings, datetimes and durations have an order"
    if MONEY in (left.type, right.type):
        return "convert with `money(…)`"
    if by_id := _by_id(left.type, right.type):
        return by_id
    if isinstance(left.type, NullType) or isinstance(right.type, NullType):
        return "only an optional can be compared with null"
    return ""


def _by_id(left: Type, right: Type) -> str:
    """Aggregates and parts are told apart by their ids alone."""
    whole = [type_ for type_ in (left, right) if isinstance(type_, AggregateType | PartType)]
    if len(whole) == 2 and left == right:
        return "compare their ids: write `.id` behind each"
    return f"write `.id` behind the {show(whole[0])}" if whole and IdType in map(type, (left, right)) else ""
