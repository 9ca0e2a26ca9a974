"""Fields, derived members, invariants and functions of whatever has them.

In: properties and rules of the program. Out: their Plan parts, and the members of an answer.
Never: routes or tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.ir.expressions import (
    Compare,
    Comparison,
    Domain,
    Expr,
    Field,
    FieldKind,
    Logic,
    Logical,
    Not,
    Null,
    This,
)
from loom.ir.members import Gate
from loom.ir.program import Access, Aggregate, Containment, Derived, Function, Invariant, Part, Property
from loom.ir.types import BOOL, INT, ArrayType, IdType, OptionalType, PartType, Ref, Type
from loom.plan.code.absence import nothing
from loom.plan.code.bodies import steps
from loom.plan.database.columns import stored
from loom.plan.http import MemberPlan, MemberSource
from loom.plan.model import (
    ContainmentPlan,
    DerivedPlan,
    FieldPlan,
    FunctionPlan,
    GatePlan,
    InvariantPlan,
)
from loom.plan.wire import texts
from loom.plan.wire.inputs import FALSE

HIDDEN = frozenset({Access.INTERNAL, Access.SECRET})


def fields(properties: Iterable[Property], assigned: frozenset[str] = frozenset()) -> tuple[FieldPlan, ...]:
    """`assigned` are the fields that a create always sets, so that nothing needs to be said of their start."""
    return tuple(_field(item, always=item.name in assigned) for item in properties)


def _field(property_: Property, *, always: bool) -> FieldPlan:
    return FieldPlan(
        name=property_.name,
        wire=property_.name,
        type=stored(property_.type),
        access=property_.access,
        initial=None if always else initial(property_),
    )


def initial(property_: Property) -> Expr | None:
    """What a fresh instance has in this field: its default, else nothing, where the type has a nothing."""
    kind, default = stored(property_.type), property_.default
    if default is not None and not (isinstance(kind, ArrayType) and isinstance(default, Null)):
        return default
    return FALSE if kind == BOOL else nothing(kind)


def derived(items: Iterable[Derived]) -> tuple[DerivedPlan, ...]:
    return tuple(DerivedPlan(name=item.name, wire=item.name, type=item.type, value=item.value) for item in items)


def containments(items: Iterable[Containment], owner: Ref, checked: frozenset[str]) -> tuple[ContainmentPlan, ...]:
    """`owner` is the aggregate, `checked` are those of its parts that have rules, or hold one that has."""
    return tuple(_containment(item, part_type(item, owner), item.part in checked) for item in items)


def _containment(item: Containment, kind: Type, is_checked: bool) -> ContainmentPlan:
    return ContainmentPlan(
        name=item.name,
        wire=item.name,
        part=item.part,
        type=kind,
        many=item.many,
        optional=item.optional,
        initial=nothing(kind),
        is_checked=is_checked,
    )


def functions(items: Iterable[Function]) -> tuple[FunctionPlan, ...]:
    return tuple(
        FunctionPlan(name=item.name, parameters=item.parameters, returns=item.returns, body=steps(item.body))
        for item in items
    )


def gates(items: Iterable[Gate]) -> tuple[GatePlan, ...]:
    return tuple(GatePlan(condition=item.condition, detail=texts.forbidden(item.source)) for item in items)


def invariants(properties: Iterable[Property], items: Iterable[Invariant], this: Type) -> tuple[InvariantPlan, ...]:
    """The checks of the fields, then the declared invariants."""
    return (*_checks(properties, this), *[_invariant(item) for item in items])


def _checks(properties: Iterable[Property], this: Type) -> Iterator[InvariantPlan]:
    """A check says nothing about an absent value."""
    for property_ in properties:
        if check := property_.check:
            condition = check.condition
            if isinstance(property_.type, OptionalType) and not isinstance(property_.type.of, ArrayType):
                condition = _or(_absent(property_, this), condition)
            yield InvariantPlan(condition=condition, detail=texts.invariant(check.message, check.source))


def _invariant(item: Invariant) -> InvariantPlan:
    condition = item.condition if item.when is None else _or(Not(type=BOOL, operand=item.when), item.condition)
    return InvariantPlan(condition=condition, detail=texts.invariant(item.message, item.source))


def _absent(property_: Property, this: Type) -> Expr:
    field = Field(type=property_.type, receiver=This(type=this), name=property_.name, kind=FieldKind.PROPERTY)
    null = Null(type=property_.type)
    return Compare(type=BOOL, op=Comparison.EQ, domain=Domain.NULL, left=field, right=null)


def root_members(aggregate: Aggregate, ref: Ref) -> tuple[MemberPlan, ...]:
    """The members of an aggregate's answer, in their order."""
    return (
        _member("id", MemberSource.ID, IdType(aggregate=ref)),
        *field_members(aggregate.properties),
        _member("version", MemberSource.VERSION, INT),
        *_containment_members(aggregate.containments, ref),
        *derived_members(aggregate.derived),
    )


def part_members(part: Part, aggregate: Ref) -> tuple[MemberPlan, ...]:
    """As of an aggregate, without a version."""
    return (
        _member("id", MemberSource.ID, IdType(aggregate=aggregate, part=part.name)),
        *field_members(part.properties),
        *_containment_members(part.containments, aggregate),
        *derived_members(part.derived),
    )


def field_members(properties: Iterable[Property]) -> tuple[MemberPlan, ...]:
    """Every field but hidden ones."""
    return tuple(
        _member(item.name, MemberSource.FIELD, stored(item.type)) for item in properties if item.access not in HIDDEN
    )


def derived_members(items: Iterable[Derived]) -> tuple[MemberPlan, ...]:
    return tuple(_member(item.name, MemberSource.DERIVED, stored(item.type)) for item in items)


def _containment_members(items: Iterable[Containment], aggregate: Ref) -> tuple[MemberPlan, ...]:
    return tuple(_member(item.name, MemberSource.CONTAINMENT, part_type(item, aggregate)) for item in items)


def part_type(containment: Containment, aggregate: Ref) -> Type:
    part: Type = PartType(aggregate=aggregate, name=containment.part)
    return ArrayType(of=part) if containment.many else OptionalType(of=part) if containment.optional else part


def _member(name: str, source: MemberSource, kind: Type) -> MemberPlan:
    return MemberPlan(wire=name, name=name, source=source, type=kind)


def _or(*operands: Expr) -> Expr:
    return Logical(type=BOOL, op=Logic.OR, operands=operands)
