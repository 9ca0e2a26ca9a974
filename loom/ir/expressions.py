"""Expressions: typed, resolved, with every conversion written out, so that a renderer decides nothing.

Arithmetic and comparison carry the domain they happen in; both operands are already of that domain.
Templates, prelude functions, `by` clauses and criteria do not exist here: lowering expands them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from loom.base import Value
from loom.ir.types import ArrayType, EnumType, IdType, NullType, OptionalType, Ref, Scalar, ScalarKind, Type


class Arithmetic(StrEnum):
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"


class Logic(StrEnum):
    AND = "&&"
    OR = "||"


class Comparison(StrEnum):
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


class Domain(StrEnum):
    """What kind of values an operator works on: it decides checking, rounding and equality."""

    INT = "int"
    LONG = "long"
    DECIMAL = "decimal"
    MONEY = "money"
    STRING = "string"
    BOOL = "bool"
    DATETIME = "datetime"
    DURATION = "duration"
    ENUM = "enum"
    ID = "id"  # ids and guids
    STRUCTURE = "structure"  # value objects, by their fields
    NULL = "null"  # one side is the null literal


SCALAR_DOMAINS: Mapping[ScalarKind, Domain] = {
    ScalarKind.INT: Domain.INT,
    ScalarKind.LONG: Domain.LONG,
    ScalarKind.DECIMAL: Domain.DECIMAL,
    ScalarKind.MONEY: Domain.MONEY,
    ScalarKind.STRING: Domain.STRING,
    ScalarKind.BOOL: Domain.BOOL,
    ScalarKind.DATETIME: Domain.DATETIME,
    ScalarKind.DURATION: Domain.DURATION,
    ScalarKind.GUID: Domain.ID,
    ScalarKind.JSON: Domain.STRUCTURE,
}


def domain_of(type_: Type) -> Domain:
    """The domain of a type, or of what an optional or an array holds."""
    match type_:
        case Scalar():
            return SCALAR_DOMAINS[type_.kind]
        case OptionalType() | ArrayType():
            return domain_of(type_.of)
        case EnumType():
            return Domain.ENUM
        case IdType():
            return Domain.ID
        case NullType():
            return Domain.NULL
        case _:
            return Domain.STRUCTURE


class FieldKind(StrEnum):
    PROPERTY = "property"
    CONTAINMENT = "containment"
    DERIVED = "derived"
    ID = "id"
    VERSION = "version"


class Fn(StrEnum):
    """Built-in operations; the receiver is the first argument, a lambda is an argument like any other."""

    LENGTH = "length"
    TRIM = "trim"
    TO_UPPER = "toUpper"
    TO_LOWER = "toLower"
    SUBSTRING = "substring"  # (text, start) or (text, start, length); zero-based, clamps
    STARTS_WITH = "startsWith"
    ENDS_WITH = "endsWith"
    STRING_CONTAINS = "string.contains"
    REPLACE = "replace"
    SPLIT = "split"
    MATCHES = "matches"  # the second argument is a literal of the common regex subset
    ABS = "abs"
    NUMBER_MIN = "number.min"
    NUMBER_MAX = "number.max"
    DIV_TRUNC = "divTrunc"
    ROUND = "round"  # (x) or (x, places)
    FLOOR = "floor"
    CEIL = "ceil"
    START_OF_DAY = "startOfDay"
    DAYS = "days"
    HOURS = "hours"
    MINUTES = "minutes"
    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    ALL = "all"
    ANY = "any"  # (xs) or (xs, lambda)
    WHERE = "where"
    MAP = "map"
    FIRST = "first"
    FIRST_OR_NULL = "firstOrNull"
    CONTAINS = "contains"
    SORT_BY = "sortBy"  # (xs, lambda, descending: bool literal)
    DISTINCT = "distinct"
    TAKE = "take"
    SKIP = "skip"
    JOIN = "join"


class FunctionScope(StrEnum):
    """Where a function is declared: it decides who calls it, and whether it reads `this`."""

    ROOT = "root"
    WORKFLOW = "workflow"
    AGGREGATE = "aggregate"
    PART = "part"
    VALUE_OBJECT = "value object"


class Literal(Value):
    """`text` is canonical: digits for numbers, `true`/`false`, the characters themselves for a string."""

    type: Type
    text: str


class Null(Value):
    type: Type


class EnumLiteral(Value):
    type: Type
    value: str


class ListLiteral(Value):
    type: Type
    items: tuple[Expr, ...]


class This(Value):
    """The instance (aggregate, part, value object) whose member is being evaluated."""

    type: Type


class Local(Value):
    """A parameter, a `let`, a loop or lambda variable, by its declared name."""

    type: Type
    name: str


class Field(Value):
    """A member of an instance. A containment's type is PartType, its optional, or an array of it."""

    type: Type
    receiver: Expr
    name: str
    kind: FieldKind


class Arithmetics(Value):
    """Left-associative; more than two operands only for ADD and MULTIPLY. `type` is the result.

    In domain STRING only ADD occurs and every operand is a string already. Money times a number has domain
    MONEY with the number converted to decimal. DATETIME and DURATION follow the table of the language:
    the first operand says which (datetime ± duration, datetime - datetime, duration * int).
    """

    type: Type
    op: Arithmetic
    domain: Domain
    operands: tuple[Expr, ...]


class Logical(Value):
    """Two or more operands, evaluated left to right, short-circuit."""

    type: Type
    op: Logic
    operands: tuple[Expr, ...]


class Compare(Value):
    type: Type
    op: Comparison
    domain: Domain
    left: Expr
    right: Expr


class Not(Value):
    type: Type
    operand: Expr


class Negate(Value):
    type: Type
    domain: Domain
    operand: Expr


class Conditional(Value):
    """`c ? a : b`; both branches are already of `type`."""

    type: Type
    condition: Expr
    then: Expr
    otherwise: Expr


class Convert(Value):
    """A change of type, written or implied: widening, `string(x)`, `money(x)`, guid/string. Never T to T?."""

    type: Type
    operand: Expr


class Call(Value):
    type: Type
    fn: Fn
    arguments: tuple[Expr, ...]


class Lambda(Value):
    """Only as an argument of a Call; `type` is that of its body."""

    type: Type
    parameter: str
    parameter_type: Type
    body: Expr


class FunctionCall(Value):
    """A user's function. `receiver` is the instance of an AGGREGATE, PART or VALUE_OBJECT function.

    `owner` is the declaration that holds it: the workflow, aggregate (also for its parts) or value object;
    for ROOT it carries context "" and the function's own name. All parameters are given.
    """

    type: Type
    scope: FunctionScope
    owner: Ref
    name: str
    receiver: Expr | None
    arguments: tuple[Expr, ...]


class ServiceCall(Value):
    """A pure operation of a domain service; one that answers nothing only guards."""

    type: Type
    service: Ref
    operation: str
    arguments: tuple[Expr, ...]


class FieldValue(Value):
    name: str
    value: Expr


class Construct(Value):
    """A value object, part or event built from every one of its stored fields, in declaration order.

    Lowering fills in defaults, nulls and empty lists; a part's id is minted by whoever evaluates this.
    """

    type: Type
    fields: tuple[FieldValue, ...]


class Variant(Value):
    """A value where its union, option or envelope is expected; null of an option is a Null of that type."""

    type: Type
    value: Expr


class VariantCase(Value):
    """`value` reads the subject as `variant` under `name`, when that is not empty."""

    variant: Type
    name: str
    value: Expr


class VariantMatch(Value):
    """The value of the case that the subject is of; of two for one variant none exists.

    Where `otherwise` is None and the cases leave a variant out, `type` is optional and the value then null.
    """

    type: Type
    subject: Expr
    cases: tuple[VariantCase, ...]
    otherwise: Expr | None


class Now(Value):
    """The instant of the request frame: equal wherever it occurs in one frame."""

    type: Type


class Claim(Value):
    """What is known of whoever asks, by its name; `isSystem` is true where nobody does."""

    type: Type
    name: str


Expr = (
    Literal
    | Null
    | EnumLiteral
    | ListLiteral
    | This
    | Local
    | Field
    | Arithmetics
    | Logical
    | Compare
    | Not
    | Negate
    | Conditional
    | Convert
    | Call
    | Lambda
    | FunctionCall
    | ServiceCall
    | Construct
    | Variant
    | VariantMatch
    | Now
    | Claim
)
