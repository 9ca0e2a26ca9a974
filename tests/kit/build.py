"""Small makers of IR values, for tests that need a program without a parser."""

from __future__ import annotations

from loom.ir.expressions import (
    Arithmetic,
    Arithmetics,
    Call,
    Compare,
    Comparison,
    Construct,
    Domain,
    EnumLiteral,
    Expr,
    Field,
    FieldKind,
    FieldValue,
    Fn,
    Lambda,
    Literal,
    Local,
    Logic,
    Logical,
    Not,
    Null,
    This,
)
from loom.ir.program import Aggregate, Containment, Context, Part, Property, Shared, ValueObject
from loom.ir.types import (
    BOOL,
    INT,
    STRING,
    AggregateType,
    ArrayType,
    OptionalType,
    PartType,
    Ref,
    Type,
    ValueObjectType,
)


def array(kind: Type) -> ArrayType:
    return ArrayType(of=kind)


def optional(kind: Type) -> OptionalType:
    return OptionalType(of=kind)


def integer(value: int) -> Expr:
    return Literal(type=INT, text=str(value))


def text(value: str) -> Expr:
    return Literal(type=STRING, text=value)


def truth(value: bool) -> Expr:
    return Literal(type=BOOL, text="true" if value else "false")


def literal(kind: Type, value: str) -> Expr:
    return Literal(type=kind, text=value)


def null(kind: Type) -> Expr:
    return Null(type=kind)


def enum_value(kind: Type, value: str) -> Expr:
    return EnumLiteral(type=kind, value=value)


def local(name: str, kind: Type) -> Expr:
    return Local(type=kind, name=name)


def this(kind: Type) -> Expr:
    return This(type=kind)


def field(receiver: Expr, name: str, kind: Type, which: FieldKind = FieldKind.PROPERTY) -> Expr:
    return Field(type=kind, receiver=receiver, name=name, kind=which)


def compare(op: Comparison, domain: Domain, left: Expr, right: Expr) -> Expr:
    return Compare(type=BOOL, op=op, domain=domain, left=left, right=right)


def both(*operands: Expr) -> Expr:
    return Logical(type=BOOL, op=Logic.AND, operands=operands)


def negated(operand: Expr) -> Expr:
    return Not(type=BOOL, operand=operand)


def add(kind: Type, domain: Domain, *operands: Expr) -> Expr:
    return Arithmetics(type=kind, op=Arithmetic.ADD, domain=domain, operands=operands)


def call(kind: Type, fn: Fn, *arguments: Expr) -> Expr:
    return Call(type=kind, fn=fn, arguments=arguments)


def each(parameter: str, kind: Type, body: Expr) -> Expr:
    return Lambda(type=body.type, parameter=parameter, parameter_type=kind, body=body)


def value(name: str, given: Expr) -> FieldValue:
    return FieldValue(name=name, value=given)


def construct(kind: ValueObjectType | PartType, **fields: Expr) -> Expr:
    return Construct(type=kind, fields=tuple(value(name, given) for name, given in fields.items()))


def self_type(context: str, aggregate: str) -> AggregateType:
    return AggregateType(ref=Ref(context=context, name=aggregate))


def aggregate(
    name: str, *properties: Property, parts: tuple[Part, ...] = (), contains: tuple[Containment, ...] = ()
) -> Aggregate:
    """An aggregate that is only state; `model_copy` gives it behaviour."""
    return Aggregate(
        name=name,
        properties=properties,
        containments=contains,
        parts=parts,
        derived=(),
        invariants=(),
        uniques=(),
        functions=(),
        operations=(),
        create=None,
        destroy=None,
        repository="",
        finds=(),
        tests=(),
    )


def part(name: str, *properties: Property, contains: tuple[Containment, ...] = ()) -> Part:
    return Part(name=name, properties=properties, containments=contains, derived=(), invariants=(), functions=())


def value_object(name: str, *properties: Property) -> ValueObject:
    return ValueObject(name=name, properties=properties, derived=(), invariants=(), functions=(), tests=())


def context(name: str, *aggregates: Aggregate, objects: tuple[ValueObject, ...] = ()) -> Context:
    return Context(
        name=name,
        enums=(),
        value_objects=objects,
        events=(),
        records=(),
        aggregates=aggregates,
        workflows=(),
    )


EMPTY = Shared(enums=(), value_objects=(), functions=())
