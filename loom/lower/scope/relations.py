"""How types relate: what fits where, what two have in common, in which domain an operator works.

In: types, and expressions to convert. Out: types, converted expressions, text for messages.
Never: a diagnostic; callers know what was meant.
"""

from __future__ import annotations

from loom.ir.expressions import SCALAR_DOMAINS, Convert, Domain, Expr, ListLiteral, Literal, Negate, Null, Variant
from loom.ir.types import (
    DECIMAL,
    INT,
    LONG,
    MONEY,
    ArrayType,
    EnumType,
    EnvelopeType,
    FileType,
    IdType,
    NothingType,
    NullType,
    OptionalType,
    OptionType,
    PageType,
    PartType,
    Scalar,
    ScalarKind,
    Type,
    UnionType,
    ValueObjectType,
)

_WIDTH = {ScalarKind.INT: 0, ScalarKind.LONG: 1, ScalarKind.DECIMAL: 2}
_BY_WIDTH = (INT, LONG, DECIMAL)
_TEXTUAL = (ScalarKind.STRING, ScalarKind.GUID)
ORDERED = {
    Domain.INT,
    Domain.LONG,
    Domain.DECIMAL,
    Domain.MONEY,
    Domain.STRING,
    Domain.DATETIME,
    Domain.DURATION,
}


def show(type_: Type | None) -> str:  # noqa: C901 - one case a kind
    """`type_` as an author would write it."""
    match type_:
        case Scalar(kind=kind):
            return kind.value
        case IdType(aggregate=ref, part=part):
            return f"{part or ref.name} id"
        case OptionalType(of=inner):
            return f"{show(inner)}?"
        case ArrayType(of=inner):
            return f"{show(inner)}[]"
        case PageType(of=inner):
            return f"{show(inner)} paged"
        case OptionType(of=inner):
            return f"{show(inner)} option"
        case EnvelopeType(of=inner):
            return f"{show(inner)} envelope"
        case UnionType(variants=variants):
            return " or ".join(map(show, variants))
        case FileType():
            return "File"
        case PartType(name=name):
            return name
        case NullType():
            return "null"
        case NothingType() | None:
            return "nothing"
        case _:
            return type_.ref.name


def scalar_kind(type_: Type) -> ScalarKind | None:
    return type_.kind if isinstance(type_, Scalar) else None


def is_number(type_: Type) -> bool:
    """int, long or decimal: money keeps to itself."""
    return isinstance(type_, Scalar) and type_.kind in _WIDTH


def is_optional(type_: Type) -> bool:
    return isinstance(type_, OptionalType | NullType)


def without_optional(type_: Type) -> Type:
    return type_.of if isinstance(type_, OptionalType) else type_


def is_single(type_: Type) -> bool:
    """A scalar, a value of an enum or an id, null or not: what one column holds."""
    return isinstance(without_optional(type_), Scalar | EnumType | IdType)


def is_comparable(type_: Type) -> bool:
    """Whether a database compares and orders what one column holds of it; null is for the caller to say."""
    return isinstance(type_, EnumType | IdType) or (isinstance(type_, Scalar) and type_.kind is not ScalarKind.JSON)


def widest(left: Type, right: Type) -> Type | None:
    """The wider of two numbers, or None."""
    if not (isinstance(left, Scalar) and isinstance(right, Scalar)):
        return None
    if left.kind not in _WIDTH or right.kind not in _WIDTH:
        return None
    return _BY_WIDTH[max(_WIDTH[left.kind], _WIDTH[right.kind])]


def domain_of(type_: Type) -> Domain | None:
    """The domain that values of `type_` are compared in; None when they are not comparable."""
    match type_:
        case Scalar(kind=ScalarKind.JSON):
            return None
        case Scalar(kind=kind):
            return SCALAR_DOMAINS[kind]
        case EnumType():
            return Domain.ENUM
        case IdType():
            return Domain.ID
        case ValueObjectType():
            return Domain.STRUCTURE
        case OptionalType(of=inner):
            return domain_of(inner)
        case _:
            return None


def convert(expr: Expr, target: Type) -> Expr:
    """`expr` as `target`, which it is known to convert to; literals change in place."""
    if expr.type == target:
        return expr
    if isinstance(expr, Literal) and isinstance(target, Scalar) and target.kind in _LITERAL_TARGETS:
        return Literal(type=target, text=expr.text)
    return Convert(type=target, operand=expr)


_LITERAL_TARGETS = (ScalarKind.LONG, ScalarKind.DECIMAL, ScalarKind.MONEY)


def fitted(expr: Expr, target: Type) -> Expr | None:
    """`expr` made to fit `target` as an assignment or argument does, or None when it does not fit."""
    if expr.type == target:
        return expr
    match target, expr.type:
        case OptionalType(), NullType():
            return Null(type=target)
        case OptionalType(of=inner), OptionalType(of=found):
            return Convert(type=target, operand=expr) if _widens(found, inner) else None
        case OptionalType(of=inner), _:
            return fitted(expr, inner)
        case OptionType() | EnvelopeType() | UnionType(), _:
            return _held(expr, target)
        case ArrayType(), ArrayType() if isinstance(expr, ListLiteral):
            return _fitted_list(expr, target)
        case Scalar(), Scalar() if _widens(expr.type, target) or is_literal_for(expr, target):
            return convert(expr, target)
    return None


def _held(expr: Expr, target: OptionType | EnvelopeType | UnionType) -> Expr | None:
    """`expr` inside `target`: as the variant that it is, or else the first that it fits."""
    if isinstance(target, OptionType) and isinstance(expr.type, NullType):
        return Null(type=target)
    variants = target.variants if isinstance(target, UnionType) else _holdable(expr, target)
    if expr.type in variants:
        return Variant(type=target, value=expr)
    held = next((fit for item in variants if (fit := fitted(expr, item)) is not None), None)
    return Variant(type=target, value=held) if held is not None else None


def _holdable(expr: Expr, target: OptionType | EnvelopeType) -> tuple[Type, ...]:
    """An option holds what may be null, too."""
    is_open = isinstance(target, OptionType) and is_optional(expr.type)
    return (OptionalType(of=target.of) if is_open else target.of,)


def _fitted_list(expr: ListLiteral, target: ArrayType) -> Expr | None:
    items = [fitted(item, target.of) for item in expr.items]
    whole = tuple(item for item in items if item is not None)
    return ListLiteral(type=target, items=whole) if len(whole) == len(items) else None


def _widens(found: Type, target: Type) -> bool:
    if not (isinstance(found, Scalar) and isinstance(target, Scalar)):
        return False
    if found.kind in _TEXTUAL and target.kind in _TEXTUAL:
        return True
    return found.kind in _WIDTH and target.kind in _WIDTH and _WIDTH[found.kind] <= _WIDTH[target.kind]


def is_literal_for(expr: Expr, target: Type) -> bool:
    """An int literal is accepted where money or decimal is expected, also behind a minus."""
    if isinstance(expr, Negate):
        return is_literal_for(expr.operand, target)
    is_whole = isinstance(expr, Literal) and scalar_kind(expr.type) in (ScalarKind.INT, ScalarKind.LONG)
    return is_whole and target in (MONEY, DECIMAL)


def join(left: Expr, right: Expr) -> tuple[Expr, Expr] | None:
    """Both expressions in their common type, as the branches of a ternary need it."""
    if left.type == right.type:
        return left, right
    for first, second, swap in ((left, right, False), (right, left, True)):
        wider = _joined_type(first.type, second.type)
        if wider is None:
            continue
        one, two = fitted(first, wider), fitted(second, wider)
        if one is not None and two is not None:
            return (two, one) if swap else (one, two)
    return None


def _joined_type(left: Type, right: Type) -> Type | None:
    """The type that `right` may be fitted into, seen from `left`."""
    if isinstance(left, NullType):
        return right if isinstance(right, OptionalType) else OptionalType(of=right)
    if isinstance(left, OptionalType) and not isinstance(right, NullType):
        inner = widest(left.of, without_optional(right)) or left.of
        return OptionalType(of=inner)
    if isinstance(right, OptionalType | NullType):
        return None
    return widest(left, right) or left
