"""Enums, value objects, events and command records.

In: one declaration and its context's name. Out: its Plan part. Never: tables.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.ir import program as ir
from loom.ir.types import Ref, ValueObjectType
from loom.plan.declarations.entities import derived, derived_members, field_members, fields, functions, invariants
from loom.plan.http import RequestPlan
from loom.plan.model import EnumPlan, EventPlan, RecordPlan, ValueObjectPlan
from loom.plan.wire.inputs import property_inputs


def enums(items: Iterable[ir.Enum], context: str) -> tuple[EnumPlan, ...]:
    return tuple(EnumPlan(ref=Ref(context=context, name=item.name), values=item.values) for item in items)


def value_objects(items: Iterable[ir.ValueObject], context: str) -> tuple[ValueObjectPlan, ...]:
    return tuple(_value_object(item, Ref(context=context, name=item.name)) for item in items)


def _value_object(item: ir.ValueObject, ref: Ref) -> ValueObjectPlan:
    return ValueObjectPlan(
        ref=ref,
        fields=fields(item.properties),
        derived=derived(item.derived),
        invariants=invariants(item.properties, item.invariants, ValueObjectType(ref=ref)),
        functions=functions(item.functions),
        inputs=RequestPlan(inputs=property_inputs(item.properties)),
        members=(*field_members(item.properties), *derived_members(item.derived)),
    )


def event(item: ir.Event, context: str) -> EventPlan:
    return EventPlan(
        ref=Ref(context=context, name=item.name),
        fields=fields(item.fields),
        wire_type=f"{context}.{item.name}",
        members=field_members(item.fields),
    )


def record(item: ir.Record, context: str) -> RecordPlan:
    return RecordPlan(
        ref=Ref(context=context, name=item.name),
        fields=fields(item.fields),
        inputs=RequestPlan(inputs=property_inputs(item.fields)),
        members=field_members(item.fields),
    )
