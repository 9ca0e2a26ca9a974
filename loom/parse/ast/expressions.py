"""Expressions as written: parentheses are gone, operators are not resolved."""

from __future__ import annotations

from enum import StrEnum

from loom.parse.ast.shared import NameRef, Node, TypeRef, Unsupported


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


class IntLiteral(Node):
    at: int
    value: int


class DecimalLiteral(Node):
    """`text` is as written: digits, a point, digits."""

    at: int
    text: str


class StringLiteral(Node):
    """`value` has its escapes resolved."""

    at: int
    value: str


class BoolLiteral(Node):
    at: int
    value: bool


class NullLiteral(Node):
    at: int


class Hole(Node):
    """`{value, format}` in a template; `format` is empty when none was written."""

    at: int
    value: Expression
    format: str


class Template(Node):
    at: int
    parts: tuple[str | Hole, ...]


class This(Node):
    at: int


class Name(Node):
    """A bare name, `id` too."""

    at: int
    name: str


class Member(Node):
    """`target.name`; `at` is the name after the dot."""

    at: int
    target: Expression
    name: str


class Argument(Node):
    """`name` is empty for a positional one."""

    at: int
    name: str
    value: Expression


class Call(Node):
    """`callee(arguments)`, the callee a Name or a Member; conversions, `now()`, `money("…")` call a Name."""

    at: int
    callee: Expression
    arguments: tuple[Argument, ...]


class FieldValue(Node):
    """`name: value` in a builder, an object, or an `emit`."""

    at: int
    name: str
    value: Expression


class Builder(Node):
    """`Money { amount: 1, currency: "EUR" }`; `at` is the type's name."""

    at: int
    type: str
    fields: tuple[FieldValue, ...]


class ObjectLiteral(Node):
    at: int
    fields: tuple[FieldValue, ...]


class ListLiteral(Node):
    at: int
    items: tuple[Expression, ...]


class Unary(Node):
    at: int
    operator: UnaryOperator
    operand: Expression


class Binary(Node):
    """Two operands, or more when `operator` is `||`, `&&`, `+` or `*`: those read from left to right."""

    at: int
    operator: BinaryOperator
    operands: tuple[Expression, ...]


class Ternary(Node):
    at: int
    condition: Expression
    then: Expression
    otherwise: Expression


class Lambda(Node):
    """`parameter => body`."""

    at: int
    parameter: str
    body: Expression


class MatchArm(Node):
    at: int
    condition: Expression
    value: Expression


class Match(Node):
    """The conditional form; `otherwise` is None without an `else`."""

    at: int
    arms: tuple[MatchArm, ...]
    otherwise: Expression | None


class VariantArm(Node):
    """`Variant name => value`; `name` is None where the value is not named."""

    at: int
    variant: TypeRef
    name: NameRef | None
    value: Expression


class VariantMatch(Node):
    """`match subject { … }` over the variants of a union; `otherwise` is None without an `else`."""

    at: int
    subject: Expression
    arms: tuple[VariantArm, ...]
    otherwise: Expression | None


class Ignoring(Node):
    """`read ignoring A, B`: a read without the filters of those; the name `*` means all."""

    at: int
    target: Expression
    names: tuple[NameRef, ...]


class SortKey(Node):
    """`path` is dotted, `[]` behind a name in it included."""

    at: int
    path: str
    descending: bool


class Selection(Node):
    """Which instances, and in what order; `loads` is the word where it is written."""

    at: int
    where: Expression
    sort: tuple[SortKey, ...] = ()
    loads: NameRef | None = None


class InlineRetrieval(Node):
    """`retrieval { where: … }` as the argument of a read."""

    at: int
    selection: Selection


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
    | Ignoring
    | InlineRetrieval
    | Unsupported
)
