"""Expressions as written: parentheses are gone, operators are not resolved."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from loom.parse.ast.shared import NameRef, TypeRef, Unsupported


class BinaryOperator(StrEnum):
    OR = "||"
    AND = "&&"
    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"


class UnaryOperator(StrEnum):
    NOT = "!"
    NEGATE = "-"


@dataclass(frozen=True, slots=True)
class IntLiteral:
    at: int
    value: int


@dataclass(frozen=True, slots=True)
class DecimalLiteral:
    """`text` is as written: digits, a point, digits."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """`value` has its escapes resolved."""

    at: int
    value: str


@dataclass(frozen=True, slots=True)
class BoolLiteral:
    at: int
    value: bool


@dataclass(frozen=True, slots=True)
class NullLiteral:
    at: int


@dataclass(frozen=True, slots=True)
class Hole:
    """`{value, format}` in a template; `format` is empty when none was written."""

    at: int
    value: Expression
    format: str


@dataclass(frozen=True, slots=True)
class Template:
    at: int
    parts: tuple[str | Hole, ...]


@dataclass(frozen=True, slots=True)
class This:
    at: int


@dataclass(frozen=True, slots=True)
class Name:
    """A bare name, `id` too."""

    at: int
    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """`target.name`; `at` is the name after the dot."""

    at: int
    target: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Argument:
    """`name` is empty for a positional one."""

    at: int
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """`callee(arguments)`, the callee a Name or a Member; conversions, `now()`, `money("…")` call a Name."""

    at: int
    callee: Expression
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class FieldValue:
    """`name: value` in a builder, an object, or an `emit`."""

    at: int
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Builder:
    """`Money { amount: 1, currency: "EUR" }`; `at` is the type's name."""

    at: int
    type: str
    fields: tuple[FieldValue, ...]


@dataclass(frozen=True, slots=True)
class ObjectLiteral:
    at: int
    fields: tuple[FieldValue, ...]


@dataclass(frozen=True, slots=True)
class ListLiteral:
    at: int
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    at: int
    operator: UnaryOperator
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands, or more when `operator` is `||`, `&&`, `+` or `*`: those read from left to right."""

    at: int
    operator: BinaryOperator
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Ternary:
    at: int
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Lambda:
    """`parameter => body`."""

    at: int
    parameter: str
    body: Expression


@dataclass(frozen=True, slots=True)
class MatchArm:
    at: int
    condition: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Match:
    """The conditional form; `otherwise` is None without an `else`."""

    at: int
    arms: tuple[MatchArm, ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True)
class VariantArm:
    """`Variant name => value`; `name` is None where the value is not named."""

    at: int
    variant: TypeRef
    name: NameRef | None
    value: Expression


@dataclass(frozen=True, slots=True)
class VariantMatch:
    """`match subject { … }` over the variants of a union; `otherwise` is None without an `else`."""

    at: int
    subject: Expression
    arms: tuple[VariantArm, ...]
    otherwise: Expression | None


Expression = (
    IntLiteral
    | DecimalLiteral
    | StringLiteral
    | BoolLiteral
    | NullLiteral
    | Template
    | This
    | Name
    | Member
    | Call
    | Builder
    | ObjectLiteral
    | ListLiteral
    | Unary
    | Binary
    | Ternary
    | Lambda
    | Match
    | VariantMatch
    | Unsupported
)
