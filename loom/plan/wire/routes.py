"""Which routes an aggregate and a workflow have.

In: declarations of one context. Out: RoutePlans, literal segments before `{id}`.
Never: problem answers (`openapi.py` documents them, services give them).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loom.ir.program import Aggregate, Find, Operation, Workflow, WorkflowCreate
from loom.ir.statements import Cardinality
from loom.ir.types import BOOL, NOTHING, AggregateType, ArrayType, IdType, PageType, Ref, Type
from loom.plan import names
from loom.plan.http import RequestPlan, RouteKind, RoutePlan, RouteStep
from loom.plan.wire.inputs import (
    Checks,
    assigned_checks,
    create_request,
    is_ambient,
    paging,
    parameter_input,
    request,
)

LIST_FIND = "all"


class Subject(NamedTuple):
    """An aggregate and what its routes are made with."""

    aggregate: Aggregate
    ref: Ref
    sorts: tuple[str, ...]
    resource_style: bool
    admitted: frozenset[str]  # operations whose gates come before the values of a request

    @property
    def path(self) -> str:
        return names.aggregate_path(self.aggregate.name)

    @property
    def title(self) -> str:
        """The name as operation ids hold it."""
        return names.capitalised(self.aggregate.name)

    @property
    def type(self) -> Type:
        return AggregateType(ref=self.ref)


def aggregate_routes(subject: Subject) -> tuple[RoutePlan, ...]:
    """All routes of an aggregate, in the order of registration."""
    aggregate = subject.aggregate
    public = [operation for operation in aggregate.operations if not operation.private]
    return (
        *_create(subject),
        _list(subject),
        *[_find(subject, find) for find in aggregate.finds if find.name != LIST_FIND],
        *_prepare(subject),
        _by_id(subject),
        *[_probe(subject, operation) for operation in public if operation.when],
        *[_operation(subject, operation) for operation in public],
        *_destroy(subject),
    )


def list_find(aggregate: Aggregate) -> Find | None:
    """A declared `all` answers as it says; without one the list is paged."""
    return next((find for find in aggregate.finds if find.name == LIST_FIND), None)


def _checks(subject: Subject, operation: Operation) -> Checks:
    return assigned_checks(subject.aggregate.properties, operation.body)


def _create_request(aggregate: Aggregate) -> RequestPlan | None:
    create = aggregate.create
    if create is None:
        return None
    return create_request(create.parameters, assigned_checks(aggregate.properties, create.body))


def _create(subject: Subject) -> Iterator[RoutePlan]:
    body = _create_request(subject.aggregate)
    if body is not None:
        yield RoutePlan(
            kind=RouteKind.CREATE,
            method="POST",
            path=subject.path,
            operation_id=f"create{subject.title}",
            member="",
            query=(),
            request=body,
            success=201,
            responds=IdType(aggregate=subject.ref),
        )


def _read(subject: Subject, kind: RouteKind, tail: str, name: str, member: str, responds: Type) -> RoutePlan:
    return RoutePlan(
        kind=kind,
        method="GET",
        path=subject.path + tail,
        operation_id=name,
        member=member,
        query=(),
        request=None,
        success=200,
        responds=responds,
    )


def _list(subject: Subject) -> RoutePlan:
    name, declared = f"all{subject.title}", list_find(subject.aggregate)
    if declared is None:
        route = _read(subject, RouteKind.LIST, "", name, "", PageType(of=subject.type))
        return route.model_copy(update={"paging": paging(subject.sorts)})
    route = _read(subject, RouteKind.LIST, "", name, LIST_FIND, _found(subject, declared))
    return _asking(subject, route, declared)


def _find(subject: Subject, find: Find) -> RoutePlan:
    tail, name = f"/{names.snake_name(find.name)}", f"{find.name}{subject.title}"
    route = _read(subject, RouteKind.FIND, tail, name, find.name, _found(subject, find))
    return _asking(subject, route, find)


def _asking(subject: Subject, route: RoutePlan, find: Find) -> RoutePlan:
    query = tuple(map(parameter_input, find.parameters))
    pages = paging(subject.sorts) if find.cardinality is Cardinality.PAGE else ()
    return route.model_copy(update={"query": query, "paging": pages})


def _found(subject: Subject, find: Find) -> Type:
    match find.cardinality:
        case Cardinality.ONE | Cardinality.OPTIONAL:
            return subject.type
        case Cardinality.MANY:
            return ArrayType(of=subject.type)
        case Cardinality.PAGE:
            return PageType(of=subject.type)


def _prepare(subject: Subject) -> Iterator[RoutePlan]:
    body = _create_request(subject.aggregate)
    ambient = tuple(item for item in body.inputs if is_ambient(item.default)) if body else ()
    if ambient:
        name = f"prepare{subject.title}"
        route = _read(subject, RouteKind.PREPARE, "/prepare", name, "", NOTHING)
        yield route.model_copy(update={"prefill": ambient})


def _by_id(subject: Subject) -> RoutePlan:
    name = f"get{subject.title}ById"
    return _read(subject, RouteKind.BY_ID, "/{id}", name, "", subject.type)


def _probe(subject: Subject, operation: Operation) -> RoutePlan:
    tail, name = f"/{{id}}/can_{names.snake_name(operation.name)}", f"can_{operation.name}{subject.title}"
    return _read(subject, RouteKind.PROBE, tail, name, operation.name, BOOL)


def _segment(subject: Subject, operation: str) -> str:
    """The route of `update` is the same in every style."""
    in_plural = subject.resource_style and operation != "update"
    return names.plural_name(operation) if in_plural else names.snake_name(operation)


def _operation(subject: Subject, operation: Operation) -> RoutePlan:
    return RoutePlan(
        kind=RouteKind.OPERATION,
        method="POST",
        path=f"{subject.path}/{{id}}/{_segment(subject, operation.name)}",
        operation_id=f"{operation.name}{subject.title}",
        member=operation.name,
        query=(),
        request=request(operation.parameters, _checks(subject, operation)),
        success=204 if operation.returns == NOTHING else 200,
        responds=operation.returns,
        steps=_steps(
            RouteStep.ADMIT if operation.name in subject.admitted else None,
            RouteStep.CALL,
            RouteStep.CHECK_VERSION,
            RouteStep.SAVE if operation.mutates else None,
        ),
    )


def _steps(*steps: RouteStep | None) -> tuple[RouteStep, ...]:
    return (RouteStep.LOAD, *[step for step in steps if step is not None])


def _destroy(subject: Subject) -> Iterator[RoutePlan]:
    destroy = subject.aggregate.destroy
    if destroy is not None:
        runs = destroy.requires or destroy.body
        yield RoutePlan(
            kind=RouteKind.DESTROY,
            method="DELETE",
            path=subject.path + "/{id}",
            operation_id=f"destroy{subject.title}",
            member="",
            query=(),
            request=None,
            success=204,
            responds=NOTHING,
            steps=_steps(RouteStep.CALL if runs else None, RouteStep.CHECK_VERSION, RouteStep.DELETE),
        )


def workflow_route(workflow: Workflow, create: WorkflowCreate, record: RequestPlan | None) -> RoutePlan:
    """The route of a command create; `record` is the flattened request of its command record."""
    return RoutePlan(
        kind=RouteKind.WORKFLOW,
        method="POST",
        path=names.workflow_path(workflow.name, create.name),
        operation_id=names.workflow_operation(workflow.name, create.name),
        member=create.name,
        query=(),
        request=record or request(create.parameters, {}),
        success=204 if create.returns == NOTHING else 200,
        responds=create.returns,
    )
