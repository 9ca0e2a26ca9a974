"""Expressions as text, in one canonical form: what `Precondition failed: …` shows to a caller.

In: an expression. Out: one line, with single spaces around binary operators and no parenthesis too many.
Never: the author's own spacing: two models that differ in it alone say the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from loom.parse.ast import (
    Argument,
    Binary,
    BinaryOperator,
    BoolLiteral,
    Builder,
    Call,
    DecimalLiteral,
    Expression,
    FieldValue,
    Ignoring,
    InlineRetrieval,
    IntLiteral,
    Lambda,
    ListLiteral,
    Match,
    Member,
    Name,
    NullLiteral,
    ObjectLiteral,
    Selection,
    StringLiteral,
    Template,
    Ternary,
    This,
    TypeRef,
    Unary,
    Unsupported,
    VariantMatch,
)

_Leaf = IntLiteral | DecimalLiteral | StringLiteral | BoolLiteral | NullLiteral | This | Unsupported

_LOOSEST, _TERNARY, _PREFIX, _ATOM = 0, 1, 8, 9
_BINDS = {
    BinaryOperator.OR: 2, BinaryOperator.AND: 3, BinaryOperator.EQUAL: 4, BinaryOperator.NOT_EQUAL: 4,
    BinaryOperator.LESS: 5, BinaryOperator.LESS_EQUAL: 5, BinaryOperator.GREATER: 5,
    BinaryOperator.GREATER_EQUAL: 5, BinaryOperator.ADD: 6, BinaryOperator.SUBTRACT: 6,
    BinaryOperator.MULTIPLY: 7, BinaryOperator.DIVIDE: 7, BinaryOperator.REMAINDER: 7,
}  # fmt: skip
_STRING_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})
_TEMPLATE_ESCAPES = str.maketrans({"\\": "\\\\", "`": "\\`", "{": "\\{", "}": "\\}", "\n": "\\n"})


def show(expression: Expression) -> str:
    """The expression in its canonical form."""
    return _show(expression)[0]


def _show(e: Expression) -> tuple[str, int]:  # noqa: C901 - one case for each kind
    """Text, and how tightly it binds."""
    match e:
        case Name():
            return e.name, _ATOM
        case Binary():
            return _binary(e), _BINDS[e.operator]
        case Unary():
            return e.operator + _inside(e.operand, _ATOM), _PREFIX
        case Ternary():
            return _ternary(e), _TERNARY
        case Lambda():
            return f"{e.parameter} => {show(e.body)}", _LOOSEST
        case Member():
            return f"{_inside(e.target, _ATOM)}.{e.name}", _ATOM
        case Call():
            return f"{_inside(e.callee, _ATOM)}({_listed(map(_argument, e.arguments))})", _ATOM
        case Builder():
            return f"{e.type} {_braced(e.fields)}", _ATOM
        case ObjectLiteral():
            return _braced(e.fields), _ATOM
        case ListLiteral():
            return f"[{_listed(map(show, e.items))}]", _ATOM
        case Template():
            return _template(e), _ATOM
        case Match():
            return _match(e), _ATOM
        case VariantMatch():
            return _variant_match(e), _ATOM
        case Ignoring():
            return f"{_inside(e.target, _ATOM)} ignoring {_listed(item.name for item in e.names)}", _LOOSEST
        case InlineRetrieval():
            return f"retrieval {_selection(e.selection)}", _ATOM
    return _leaf(e), _ATOM


def _leaf(e: _Leaf) -> str:
    match e:
        case IntLiteral():
            return str(e.value)
        case DecimalLiteral():
            return e.text
        case StringLiteral():
            return _quoted(e.value)
        case BoolLiteral():
            return "true" if e.value else "false"
        case NullLiteral():
            return "null"
        case This():
            return "this"
        case Unsupported():
            return f"<{e.feature}>"
    assert_never(e)


def _inside(e: Expression, binds: int) -> str:
    """Text of `e`, in parentheses when its surroundings bind tighter than it does."""
    text, own = _show(e)
    return text if own >= binds else f"({text})"


def _binary(e: Binary) -> str:
    binds = _BINDS[e.operator]
    first, *others = e.operands
    return f" {e.operator} ".join([_inside(first, binds), *(_inside(other, binds + 1) for other in others)])


def _ternary(e: Ternary) -> str:
    condition, otherwise = _inside(e.condition, _TERNARY + 1), _inside(e.otherwise, _TERNARY)
    return f"{condition} ? {show(e.then)} : {otherwise}"


def _argument(argument: Argument) -> str:
    label = f"{argument.name}: " if argument.name else ""
    return label + show(argument.value)


def _braced(fields: Iterable[FieldValue]) -> str:
    text = _listed(f"{field.name}: {show(field.value)}" for field in fields)
    return f"{{ {text} }}" if text else "{}"


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def _quoted(value: str) -> str:
    return '"' + value.translate(_STRING_ESCAPES) + '"'


def _template(e: Template) -> str:
    parts = []
    for part in e.parts:
        if isinstance(part, str):
            parts.append(part.translate(_TEMPLATE_ESCAPES))
        else:
            parts.append("{" + show(part.value) + (f", {part.format}" if part.format else "") + "}")
    return "`" + "".join(parts) + "`"


def _match(e: Match) -> str:
    arms = [f"{show(arm.condition)} => {show(arm.value)}" for arm in e.arms]
    if e.otherwise is not None:
        arms.append(f"else => {show(e.otherwise)}")
    return f"match {{ {_listed(arms)} }}"


def _variant_match(e: VariantMatch) -> str:
    arms = [f"{show_type(arm.variant)}{f' {arm.name.name}' if arm.name else ''} => {show(arm.value)}" for arm in e.arms]
    if e.otherwise is not None:
        arms.append(f"else => {show(e.otherwise)}")
    return f"match {show(e.subject)} {{ {_listed(arms)} }}"


def _selection(e: Selection) -> str:
    sort = _listed(f"{item.path} desc" if item.descending else item.path for item in e.sort)
    return f"{{ where: {show(e.where)}{f' sort: [{sort}]' if sort else ''} }}"


def show_type(ref: TypeRef) -> str:
    """A type as its author would write it."""
    carriers = "".join(f" {carrier}" for carrier in ref.carriers)
    first = f"{ref.name}{' id' * ref.is_id}{carriers}{'[]' * ref.is_list}{'?' * ref.is_optional}"
    return " or ".join([first, *map(show_type, ref.others)])
