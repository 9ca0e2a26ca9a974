"""One context planned on its own, so that a change elsewhere never reaches it.

In: the context, the model's shared declarations, what its state resource and api say, its recorded history.
Out: ContextPlan and diagnostics.
Never: another context (ids of its aggregates are all that is seen of it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loom.base import Diagnostic
from loom.ir import program as ir
from loom.ir.places import Places
from loom.ir.statements import Read, ReadKind
from loom.ir.types import IdType, Ref, ValueObjectType
from loom.plan.aggregates import plan_aggregate, tests
from loom.plan.code.saves import workflow_steps
from loom.plan.code.walk import descendants
from loom.plan.database.clashes import table_clashes
from loom.plan.database.columns import ValueObjects
from loom.plan.database.migrations import Change, plan_migrations
from loom.plan.database.placed import placed
from loom.plan.database.tables import Ground
from loom.plan.entities import derived, derived_members, field_members, fields, functions, gates, invariants
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from loom.plan.http import RequestPlan
from loom.plan.model import (
    AggregatePlan,
    ContextPlan,
    EnumPlan,
    EventPlan,
    RecordPlan,
    ValueObjectPlan,
    WorkflowCreatePlan,
    WorkflowPlan,
)
from loom.plan.storage import MigrationPlan
from loom.plan.wire.inputs import property_inputs
from loom.plan.wire.routes import workflow_route


class Uses(NamedTuple):
    """What a context names of others: aggregates by id, shared declarations, unique keys of its own."""

    ids: frozenset[Ref]
    shared: frozenset[str]
    keys: frozenset[tuple[str, tuple[str, ...]]]


def plan_context(
    context: ir.Context,
    shared: ir.Shared,
    places: Places,
    facts: ContextFacts,
    history: History,
    *,
    allow_destructive: bool = False,
) -> tuple[ContextPlan, tuple[Diagnostic, ...]]:
    """The plan of one context, and what is wrong with its tables or their pending migration."""
    uses = _uses(context)
    objects = _value_objects(context, shared)
    grounds = [Ground(context.name, facts, objects, aggregate) for aggregate in context.aggregates]
    aggregates = tuple(_aggregate(ground, uses) for ground in grounds)
    tables = tuple(
        item
        for aggregate, plan in zip(context.aggregates, aggregates, strict=True)
        for item in placed(aggregate, plan.tables)
    )
    if clashes := tuple(table_clashes(tables, places)):
        return _plan(context, facts, uses, aggregates, ()), clashes
    change = Change(context.name, tables, objects, history, places)
    files, problems = plan_migrations(change, allow_destructive=allow_destructive)
    return _plan(context, facts, uses, aggregates, files), problems


def _plan(
    context: ir.Context,
    facts: ContextFacts,
    uses: Uses,
    aggregates: tuple[AggregatePlan, ...],
    files: tuple[MigrationPlan, ...],
) -> ContextPlan:
    name = context.name
    records = tuple(_record(item, name) for item in context.records)
    return ContextPlan(
        name=name,
        schema_name=facts.schema_name,
        enums=enums(context.enums, name),
        value_objects=value_objects(context.value_objects, name),
        events=tuple(_event(item, name) for item in context.events),
        records=records,
        aggregates=aggregates,
        workflows=tuple(_workflow(item, name, records) for item in context.workflows),
        value_object_tests=tuple(test for item in context.value_objects for test in tests(item.tests)),
        migrations=files,
        ids=tuple(sorted(uses.ids, key=lambda ref: (ref.context, ref.name))),
        shared=tuple(sorted(uses.shared)),
    )


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


def _uses(context: ir.Context) -> Uses:
    ids, shared, keys = set[Ref](), set[str](), set[tuple[str, tuple[str, ...]]]()
    for node in descendants(context):
        match node:
            case Ref(context="", name=name):
                shared.add(name)
            case IdType(aggregate=aggregate):
                ids.add(aggregate)
            case Read(kind=ReadKind.BY_KEY, aggregate=aggregate, key=key):
                keys.add((aggregate.name, key))
            case _:
                pass
    own = {Ref(context=context.name, name=item.name) for item in context.aggregates}
    return Uses(frozenset(ids | own), frozenset(shared), frozenset(keys))


def _value_objects(context: ir.Context, shared: ir.Shared) -> ValueObjects:
    own = {Ref(context=context.name, name=item.name): item for item in context.value_objects}
    return own | {Ref(context="", name=item.name): item for item in shared.value_objects}


def _aggregate(ground: Ground, uses: Uses) -> AggregatePlan:
    keys = frozenset(key for name, key in uses.keys if name == ground.aggregate.name)
    return plan_aggregate(ground, keys)


def _event(item: ir.Event, context: str) -> EventPlan:
    return EventPlan(
        ref=Ref(context=context, name=item.name),
        fields=fields(item.fields),
        wire_type=f"{context}.{item.name}",
        members=field_members(item.fields),
    )


def _record(item: ir.Record, context: str) -> RecordPlan:
    return RecordPlan(
        ref=Ref(context=context, name=item.name),
        fields=fields(item.fields),
        inputs=RequestPlan(inputs=property_inputs(item.fields)),
    )


def _workflow(item: ir.Workflow, context: str, records: tuple[RecordPlan, ...]) -> WorkflowPlan:
    inputs = {record.ref: record.inputs for record in records}
    return WorkflowPlan(
        ref=Ref(context=context, name=item.name),
        functions=functions(item.functions),
        creates=tuple(_workflow_create(item, create, inputs) for create in item.creates),
    )


def _workflow_create(
    workflow: ir.Workflow, create: ir.WorkflowCreate, records: Mapping[Ref, RequestPlan]
) -> WorkflowCreatePlan:
    record = records[create.record] if create.record else None
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
        route=workflow_route(workflow, create, record),
    )
