"""Declarations beside aggregates: enums, value objects, events, command records, workflows.

In: one declaration and its context's name. Out: its Plan part.
Never: tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loom.ir import program as ir
from loom.ir.types import Ref, ValueObjectType
from loom.plan.code.saves import workflow_steps
from loom.plan.entities import derived, derived_members, field_members, fields, functions, gates, invariants
from loom.plan.http import RequestPlan
from loom.plan.model import EnumPlan, EventPlan, RecordPlan, ValueObjectPlan, WorkflowCreatePlan, WorkflowPlan
from loom.plan.wire.inputs import property_inputs
from loom.plan.wire.routes import workflow_route


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


def workflow(item: ir.Workflow, context: str, records: tuple[RecordPlan, ...]) -> WorkflowPlan:
    inputs = {record.ref: record.inputs for record in records}
    return WorkflowPlan(
        ref=Ref(context=context, name=item.name),
        functions=functions(item.functions),
        creates=tuple(_workflow_create(item, create, inputs) for create in item.creates),
    )


def _workflow_create(
    workflow: ir.Workflow, create: ir.WorkflowCreate, records: Mapping[Ref, RequestPlan]
) -> WorkflowCreatePlan:
    flattened = records[create.record] if create.record else None
    return WorkflowCreatePlan(
        name=create.name,
        log_name=workflow.name,
        parameters=create.parameters,
        record=create.record,
        returns=create.returns,
        requires=gates(create.requires),
        transactional=workflow.transactional,
        isolation=workflow.isolation,
        body=workflow_steps(create.body),
        route=workflow_route(workflow, create, flattened),
    )
