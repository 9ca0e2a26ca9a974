"""One aggregate as every service must know it: state, behaviour, storage and routes.

In: the aggregate, its context's tables and facts. Out: AggregatePlan.
Never: SQL text (`ddl.py`) or another context.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.ir import program as ir
from loom.ir.members import Parameter, Test
from loom.ir.statements import Cardinality, Emit
from loom.ir.types import NOTHING, AggregateType, EnumType, PartType, Ref, Scalar, ScalarKind, bare
from loom.plan.code.absence import nothing
from loom.plan.code.bodies import steps
from loom.plan.code.conditions import asked
from loom.plan.code.factories import halves
from loom.plan.code.gates import Rules, operation_admission
from loom.plan.code.initials import always_assigned
from loom.plan.code.reads import Reads
from loom.plan.code.rules import checked, checked_parts, is_checked
from loom.plan.code.walk import every_step
from loom.plan.database.keys import Ground
from loom.plan.database.tables import entity_tables
from loom.plan.declarations.entities import (
    HIDDEN,
    containments,
    derived,
    fields,
    functions,
    gates,
    invariants,
    part_members,
    part_type,
    root_members,
)
from loom.plan.http import InputPlan, RequestPlan
from loom.plan.model import (
    AggregatePlan,
    CreatePlan,
    DestroyPlan,
    FindPlan,
    GatePlan,
    KeyPlan,
    OperationPlan,
    PartPlan,
    StatePlan,
    TestPlan,
)
from loom.plan.storage import EntityTables, TablePlan
from loom.plan.wire import texts
from loom.plan.wire.inputs import property_inputs
from loom.plan.wire.routes import Subject, aggregate_routes, list_find


def plan_aggregate(ground: Ground, reads: Reads) -> AggregatePlan:
    """`reads` is what the workflows of the context do with it."""
    aggregate = ground.aggregate
    ref, tables = Ref(context=ground.context, name=aggregate.name), entity_tables(ground)
    sorts, rules = _sorts(aggregate, tables.table), checked_parts(aggregate)
    assigned = always_assigned(aggregate.create.body) if aggregate.create else frozenset()
    held, contained = fields(aggregate.properties, assigned), containments(aggregate.containments, ref, rules)
    operations = _operations(ground)
    subject = _subject(ground, ref, sorts, operations)
    return AggregatePlan(
        ref=ref,
        fields=held,
        containments=contained,
        parts=tuple(_part(part, ref, rules) for part in aggregate.parts),
        derived=derived(aggregate.derived),
        invariants=invariants(aggregate.properties, aggregate.invariants, AggregateType(ref=ref)),
        functions=functions(aggregate.functions),
        operations=operations,
        create=_create(aggregate, (*held, *contained)),
        destroy=_destroy(aggregate),
        finds=tuple(_find(item, tables) for item in aggregate.finds),
        keys=tuple(_key(aggregate, key, reads) for key in aggregate.uniques if (aggregate.name, key) in reads.keys),
        tables=tables,
        members=root_members(aggregate, ref),
        sorts=sorts if _is_sorted(aggregate) else (),
        is_listed=list_find(aggregate) is None,
        is_found_by_id=aggregate.name in reads.found_by_id,
        is_deleted=aggregate.destroy is not None or aggregate.name in reads.deleted,
        is_checked=is_checked(aggregate),
        emits=_emits(aggregate),
        missing_detail=texts.missing(aggregate.name),
        conflict_detail=texts.referenced(aggregate.name),
        routes=aggregate_routes(subject),
        tests=tests(aggregate.tests),
    )


def tests(items: Iterable[Test]) -> tuple[TestPlan, ...]:
    return tuple(TestPlan(name=item.name, body=steps(item.body)) for item in items)


def _part(part: ir.Part, aggregate: Ref, rules: frozenset[str]) -> PartPlan:
    nested = tuple(_containment_input(item, aggregate) for item in part.containments)
    return PartPlan(
        aggregate=aggregate,
        name=part.name,
        fields=fields(part.properties),
        containments=containments(part.containments, aggregate, rules),
        derived=derived(part.derived),
        invariants=invariants(part.properties, part.invariants, PartType(aggregate=aggregate, name=part.name)),
        functions=functions(part.functions),
        inputs=RequestPlan(inputs=(*property_inputs(part.properties), *nested)),
        members=part_members(part, aggregate),
    )


def _containment_input(containment: ir.Containment, aggregate: Ref) -> InputPlan:
    kind = part_type(containment, aggregate)
    return InputPlan(name=containment.name, wire=containment.name, type=kind, default=nothing(kind), checks=())


def _subject(
    ground: Ground, ref: Ref, sorts: tuple[tuple[str, str], ...], operations: tuple[OperationPlan, ...]
) -> Subject:
    admitted = frozenset(item.name for item in operations if item.admission is not None)
    return Subject(ground.aggregate, ref, tuple(wire for wire, _ in sorts), ground.facts.resource_style, admitted)


def _operations(ground: Ground) -> tuple[OperationPlan, ...]:
    aggregate = ground.aggregate
    values = Rules(ground.declared.value_objects, {part.name: part for part in aggregate.parts})
    return tuple(_operation(aggregate, item, values) for item in aggregate.operations)


def _operation(aggregate: ir.Aggregate, operation: ir.Operation, values: Rules) -> OperationPlan:
    gate, body = operation.when, steps(operation.body)
    detail = texts.disallowed(operation.name, aggregate.name)
    if operation.mutates and is_checked(aggregate):
        body = checked(body, operation.parameters, operation.returns)
    return OperationPlan(
        name=operation.name,
        parameters=operation.parameters,
        returns=operation.returns,
        private=operation.private,
        requires=gates(operation.requires),
        admission=operation_admission(operation, values),
        when=GatePlan(condition=gate.condition, detail=detail) if gate else None,
        body=body,
        mutates=operation.mutates,
    )


def _create(aggregate: ir.Aggregate, state: tuple[StatePlan, ...]) -> CreatePlan | None:
    create = aggregate.create
    if create is None:
        return None
    found = halves(aggregate.name, state, create.parameters, steps(create.body))
    return CreatePlan(
        parameters=create.parameters,
        requires=gates(create.requires),
        drafts=found.drafts,
        before=found.before,
        values=found.values,
        identity=found.identity,
        raised=found.raised,
        instance=found.instance,
        after=checked(found.after, create.parameters, NOTHING) if is_checked(aggregate) else found.after,
    )


def _destroy(aggregate: ir.Aggregate) -> DestroyPlan | None:
    destroy = aggregate.destroy
    if destroy is None or not (destroy.requires or destroy.body):
        return None
    return DestroyPlan(requires=gates(destroy.requires), body=steps(destroy.body))


def _find(find: ir.Find, tables: EntityTables) -> FindPlan:
    return FindPlan(
        name=find.name,
        parameters=find.parameters,
        cardinality=find.cardinality,
        requires=gates(find.requires),
        where=None if find.where is None else asked(find.where, tables),
        missing_detail=texts.MISSING_FIND,
    )


def _key(aggregate: ir.Aggregate, key: tuple[str, ...], reads: Reads) -> KeyPlan:
    types = {item.name: bare(item.type) for item in aggregate.properties}
    return KeyPlan(
        parameters=tuple(Parameter(name=field, type=types[field]) for field in key),
        is_found=(aggregate.name, key) in reads.found_by_key,
        is_required=(aggregate.name, key) in reads.required_by_key,
        missing_detail=texts.missing_key(aggregate.name),
    )


def _is_sorted(aggregate: ir.Aggregate) -> bool:
    """Whether anything answers pages."""
    return list_find(aggregate) is None or any(find.cardinality is Cardinality.PAGE for find in aggregate.finds)


def _sorts(aggregate: ir.Aggregate, table: TablePlan) -> tuple[tuple[str, str], ...]:
    """Visible columns of the root that hold one comparable value."""
    visible = {item.name for item in aggregate.properties if item.access not in HIDDEN}
    found = [
        (column.path[0], column.name)
        for column in table.columns
        if len(column.path) == 1 and column.path[0] in visible and _is_sortable(column.type)
    ]
    return (("id", "id"), *found)


def _is_sortable(kind: object) -> bool:
    return isinstance(kind, EnumType) or (isinstance(kind, Scalar) and kind.kind is not ScalarKind.JSON)


def _emits(aggregate: ir.Aggregate) -> tuple[Ref, ...]:
    lifecycle = [item for item in (aggregate.create, aggregate.destroy) if item is not None]
    bodies = [steps(item.body) for item in (*aggregate.operations, *lifecycle)]
    events = [step.event for body in bodies for step in every_step(body) if isinstance(step, Emit)]
    return tuple(dict.fromkeys(events))
