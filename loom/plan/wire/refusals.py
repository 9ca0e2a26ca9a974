"""Which problem answers each route can give.

In: a context's plan. Out: statuses by route.
Never: less than what a service really answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loom.ir.statements import Cardinality, CreateInstance, Invoke, Load, NotFound, Read, ReadKind
from loom.ir.types import Ref
from loom.plan.code.walk import every_step
from loom.plan.http import RouteKind, RoutePlan
from loom.plan.model import AggregatePlan, ContextPlan, FindPlan, OperationPlan, WorkflowCreatePlan
from loom.plan.steps import Authorize, DeleteStep, ForEachStep, IfPresentStep, Save, Step
from loom.plan.storage import EntityTables, all_collections, all_tables

FORBIDDEN, MISSING, CONFLICT = 403, 404, 409
BODY = frozenset({400, 413, 415, 422})
READ = frozenset({422})
NONE: frozenset[int] = frozenset()


class Knowledge(NamedTuple):
    """The aggregates that a body may touch."""

    aggregates: dict[Ref, AggregatePlan]


def knowledge(context: ContextPlan) -> Knowledge:
    return Knowledge({item.ref: item for item in context.aggregates})


def aggregate_refusals(known: Knowledge, aggregate: AggregatePlan, route: RoutePlan) -> tuple[int, ...]:
    """The statuses of one route of `aggregate`, ascending."""
    return tuple(sorted(_of_aggregate(known, aggregate, route)))


def workflow_refusals(known: Knowledge, create: WorkflowCreatePlan) -> tuple[int, ...]:
    found = _of_body(known, create.body, ())
    forbidden = {FORBIDDEN} if create.requires else NONE
    conflict = {CONFLICT} if create.transactional else NONE
    return tuple(sorted(BODY | found | forbidden | conflict))


def _of_aggregate(known: Knowledge, aggregate: AggregatePlan, route: RoutePlan) -> frozenset[int]:
    match route.kind:
        case RouteKind.CREATE:
            conflict = frozenset({CONFLICT}) if _may_clash(aggregate.tables) else NONE
            return BODY | _of_create(known, aggregate, ()) | conflict
        case RouteKind.LIST | RouteKind.FIND:
            return READ | _of_find(aggregate, route)
        case RouteKind.PREPARE:
            return NONE
        case RouteKind.BY_ID | RouteKind.PROBE:
            return READ | {MISSING}
        case RouteKind.OPERATION:
            return BODY | {MISSING, CONFLICT} | _of_operation(known, aggregate, route.member, ())
        case RouteKind.DESTROY:
            return READ | {MISSING, CONFLICT} | _of_destroy(known, aggregate, ())
        case RouteKind.WORKFLOW:
            return BODY


def _may_clash(tables: EntityTables) -> bool:
    """Whether a new row can break a unique key or point at nothing, be it at one of its own kind."""
    unique = any(index.unique for table in all_tables(tables) for index in table.indexes)
    return unique or _refers(tables)


def _refers(tables: EntityTables) -> bool:
    """Whether any key goes elsewhere than from a child to its owner."""
    owned = [(tables.table, tables.owner_column)]
    owned += [(item.table, item.owner_column) for item in all_collections(tables.collections)]
    if any(key.column != owner for table, owner in owned for key in table.foreign_keys):
        return True
    return any(_refers(part.tables) for part in tables.parts)


def _of_find(aggregate: AggregatePlan, route: RoutePlan) -> frozenset[int]:
    find: FindPlan | None = next((item for item in aggregate.finds if item.name == route.member), None)
    if find is None:
        return NONE
    missing = {MISSING} if find.cardinality in (Cardinality.ONE, Cardinality.OPTIONAL) else NONE
    return frozenset(missing | ({FORBIDDEN} if find.requires else NONE))


Seen = tuple[tuple[Ref, str], ...]


def _of_create(known: Knowledge, aggregate: AggregatePlan, seen: Seen) -> frozenset[int]:
    create = aggregate.create
    if create is None:
        return NONE
    return _of_body(known, create.body, seen) | _gated(bool(create.requires))


def _of_destroy(known: Knowledge, aggregate: AggregatePlan, seen: Seen) -> frozenset[int]:
    destroy = aggregate.destroy
    if destroy is None:
        return NONE
    return _of_body(known, destroy.body, seen) | _gated(bool(destroy.requires))


def _of_operation(known: Knowledge, aggregate: AggregatePlan, name: str, seen: Seen) -> frozenset[int]:
    mark = (aggregate.ref, name)
    found: OperationPlan | None = next((item for item in aggregate.operations if item.name == name), None)
    if found is None or mark in seen:
        return NONE
    conflict = frozenset({CONFLICT}) if found.when else NONE
    return _of_body(known, found.body, (*seen, mark)) | _gated(bool(found.requires)) | conflict


def _of_read(known: Knowledge, read: Read) -> frozenset[int]:
    """A find's gates are asked whoever calls it."""
    finds = known.aggregates[read.aggregate].finds if read.kind is ReadKind.FIND else ()
    return _gated(any(item.requires for item in finds if item.name == read.name))


def _gated(gated: bool) -> frozenset[int]:
    return frozenset({FORBIDDEN}) if gated else NONE


def _of_body(known: Knowledge, body: Iterable[Step], seen: Seen) -> frozenset[int]:  # noqa: C901 - one arm a kind
    found: set[int] = set()
    for node in every_step(body):
        match node:
            case Authorize():
                found.add(FORBIDDEN)
            case NotFound():
                found.add(MISSING)
            case Load(read=read):
                found |= {MISSING} | _of_read(known, read)
            case ForEachStep(read=Read() as read) | IfPresentStep(read=Read() as read):
                found |= _of_read(known, read)
            case Save():
                found.add(CONFLICT)
            case DeleteStep(aggregate=ref):
                found |= {CONFLICT} | _of_destroy(known, known.aggregates[ref], seen)
            case Invoke(aggregate=ref, operation=name):
                found |= _of_operation(known, known.aggregates[ref], name, seen)
            case CreateInstance(aggregate=ref):
                found |= _of_create(known, known.aggregates[ref], seen)
            case _:
                pass
    return frozenset(found)
