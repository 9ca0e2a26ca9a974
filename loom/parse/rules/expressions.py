"""The rules of expressions.

In: tokens and the expressions inside. Out: expressions, with operators in their precedence.
Never: a meaning: `money("1.00")` and `days(3)` are calls like any other.
"""

from __future__ import annotations

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
    Hole,
    IntLiteral,
    Lambda,
    ListLiteral,
    Member,
    Name,
    NullLiteral,
    ObjectLiteral,
    Return,
    Statement,
    StringLiteral,
    Template,
    Ternary,
    This,
    Unary,
    UnaryOperator,
    Unsupported,
)
from loom.parse.draft import Draft
from loom.parse.habits import NEW, makes

_OPERATORS = {operator.value: operator for operator in BinaryOperator}
_LEVELS: dict[str, int] = {
    text: level
    for level, texts in enumerate((("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%")))
    for text in texts
}
CHAINING = frozenset((BinaryOperator.OR, BinaryOperator.AND, BinaryOperator.ADD, BinaryOperator.MULTIPLY))


def name(d: Draft, token: int) -> Name:
    if makes(d.texts[token - 1 : token + 2]):
        d.reject(d.numbers[token - 1], "unexpected `new`", NEW)
    return Name(d.numbers[token], d.texts[token])


def this(d: Draft, token: int) -> This:
    return This(d.numbers[token])


def string(d: Draft, token: int) -> StringLiteral:
    return StringLiteral(d.numbers[token], d.texts[token])


def integer(d: Draft, token: int) -> IntLiteral:
    return IntLiteral(d.numbers[token], int(d.texts[token]))


def decimal(d: Draft, token: int) -> DecimalLiteral:
    return DecimalLiteral(d.numbers[token], d.texts[token])


def true(d: Draft, token: int) -> BoolLiteral:
    return BoolLiteral(d.numbers[token], True)


def false(d: Draft, token: int) -> BoolLiteral:
    return BoolLiteral(d.numbers[token], False)


def null(d: Draft, token: int) -> NullLiteral:
    return NullLiteral(d.numbers[token])


def list_(d: Draft, bracket: int, items: list[Expression] | None = None, comma: int = 0) -> ListLiteral:
    return ListLiteral(d.numbers[bracket], tuple(items or ()))


def member(d: Draft, target: Expression, token: int) -> Member:
    return Member(d.numbers[token], target, d.texts[token])


def call(d: Draft, callee: Expression, arguments: list[Argument] | None = None) -> Call:
    if not isinstance(callee, Name | Member):
        d.reject(callee.at, "a call of something without a name", "call a function, an operation or a method")
    return Call(callee.at, callee, tuple(arguments or ()))


def argument(d: Draft, value: Expression) -> Argument:
    return Argument(value.at, "", value)


def named_argument(d: Draft, token: int, value: Expression) -> Argument:
    return Argument(d.numbers[token], d.texts[token], value)


def pair(d: Draft, token: int, value: Expression) -> FieldValue:
    return FieldValue(d.numbers[token], d.texts[token], value)


def pairs(d: Draft, brace: int, fields: list[FieldValue], comma: int = 0) -> list[FieldValue]:
    return fields


def builder(d: Draft, token: int, brace: int, fields: list[FieldValue] | None = None, comma: int = 0) -> Builder:
    return Builder(d.numbers[token], d.texts[token], tuple(fields or ()))


def object_(d: Draft, brace: int, fields: list[FieldValue] | None = None, comma: int = 0) -> ObjectLiteral:
    return ObjectLiteral(d.numbers[brace], tuple(fields or ()))


def unary(d: Draft, token: int, operand: Expression) -> Unary:
    return Unary(d.numbers[token], UnaryOperator(d.texts[token]), operand)


def ternary(d: Draft, condition: Expression, then: Expression, otherwise: Expression) -> Ternary:
    return Ternary(condition.at, condition, then, otherwise)


def lambda_(d: Draft, token: int, body: Expression) -> Lambda:
    return Lambda(d.numbers[token], d.texts[token], body)


def block_lambda(d: Draft, token: int, body: list[Statement]) -> Lambda | Unsupported:
    """A block that only returns is what it returns."""
    if len(body) == 1 and isinstance(body[0], Return):
        return Lambda(d.numbers[token], d.texts[token], body[0].value)
    return Unsupported(d.numbers[token], "lambda with a block", d.texts[token])


def template(d: Draft, opening: int, holes: list[str | Hole] | None = None, closing: int = -1) -> Template:
    texts = [d.texts[opening], *(holes or ())]
    if holes:
        texts.append(d.texts[closing])
    return Template(d.numbers[opening], tuple(part for part in texts if part != ""))


def first_hole(d: Draft, hole: Hole) -> list[str | Hole]:
    return [hole]


def next_hole(d: Draft, holes: list[str | Hole], middle: int, hole: Hole) -> list[str | Hole]:
    holes += (d.texts[middle], hole)
    return holes


def hole(d: Draft, value: Expression, format_: int = -1) -> Hole:
    return Hole(value.at, value, d.texts[format_] if format_ >= 0 else "")


class _Group:
    """An operator under way, with the operands found so far."""

    __slots__ = ("at", "operands", "operator")

    def __init__(self, at: int, operator: BinaryOperator, operands: list[Expression]) -> None:
        self.at = at
        self.operator = operator
        self.operands = operands


def first_operator(d: Draft, left: Expression, token: int, right: Expression) -> list[Expression | int]:
    return [left, token, right]


def next_operator(d: Draft, chain: list[Expression | int], token: int, right: Expression) -> list[Expression | int]:
    chain += (token, right)
    return chain


def operators(d: Draft, chain: list[Expression | int]) -> Expression:
    """Operands and operators in turn, grouped by precedence, from left to right."""
    # Types cannot say that the items of a chain take turns, hence the three exemptions.
    operands: list[Expression | _Group] = [chain[0]]  # type: ignore[list-item]
    waiting: list[int] = []
    for index in range(1, len(chain), 2):
        token: int = chain[index]  # type: ignore[assignment]
        level = _LEVELS[d.texts[token]]
        while waiting and _LEVELS[d.texts[waiting[-1]]] >= level:
            _join(d, operands, waiting.pop())
        waiting.append(token)
        operands.append(chain[index + 1])  # type: ignore[arg-type]
    while waiting:
        _join(d, operands, waiting.pop())
    return _done(operands[0])


def _join(d: Draft, operands: list[Expression | _Group], token: int) -> None:
    """Replaces the last two operands by one operation on them."""
    operator = _OPERATORS[d.texts[token]]
    right, left = _done(operands.pop()), operands[-1]
    if isinstance(left, _Group) and left.operator is operator and operator in CHAINING:
        left.operands.append(right)
    else:
        operands[-1] = _Group(d.numbers[token], operator, [_done(left), right])


def _done(operand: Expression | _Group) -> Expression:
    if isinstance(operand, _Group):
        return Binary(operand.at, operand.operator, tuple(operand.operands))
    return operand
