"""Calls of `api` in end-to-end tests: which route is meant, and what it is sent.

In: a call as written and what each deployable serves. Out: a request to one aggregate or workflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol, TypeGuard

from loom.base import camel, nearest, plural, words
from loom.ir.places import DeclarationPath
from loom.ir.scenarios import BODY, ID, Json, Request, RequestKind
from loom.ir.types import Ref
from loom.lower.problems.tests import (
    E2eArguments,
    E2eUnknownAggregate,
    E2eUnknownMethod,
    E2eUnknownWorkflow,
    E2eUnresolvedCall,
)
from loom.lower.scenarios.json import json
from loom.lower.scope.source import Source
from loom.lower.signature import AggregateSignature, ContextSignature, WorkflowSignature
from loom.parse import ast


class Stage(Protocol):
    source: Source
    bound: set[str]
    partial: frozenset[str]

    @property
    def contexts(self) -> Mapping[str, tuple[ContextSignature, ...]]: ...


class Route(NamedTuple):
    """How one route is called: `takes_id` first, then a body, which may be left out."""

    kind: RequestKind
    member: str
    takes_id: bool
    takes_body: bool


class Target(NamedTuple):
    """What a request goes to, and the path of the step that makes it."""

    ref: Ref
    route: Route
    path: DeclarationPath


_ID_ONLY = {"getById": RequestKind.GET_BY_ID, "delete": RequestKind.DELETE}


def _chain(node: ast.Expression) -> list[tuple[str, int]]:
    """The names of a member chain with their places, outermost last; empty for anything else."""
    match node:
        case ast.Name(name=name, at=at):
            return [(name, at)]
        case ast.Member(target=target, name=name, at=at):
            inner = _chain(target)
            return [*inner, (name, at)] if inner else []
        case _:
            return []


def printed(node: ast.Expression) -> str:
    return ".".join(name for name, _ in _chain(node))


def is_request(node: object) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call):
        return False
    chain = _chain(node.callee)
    return len(chain) > 1 and chain[0][0] == "api"


def request(stage: Stage, node: ast.Expression, path: DeclarationPath) -> Request | None:
    """The request that a call makes; `path` is that of its step."""
    if not isinstance(node, ast.Call):
        return None
    chain = _chain(node.callee)
    if len(chain) > 2 and chain[1][0] == "workflows":
        return _workflow_request(stage, node, chain[2:], path)
    if len(chain) != 3:
        stage.source.report(E2eUnresolvedCall(at=stage.source.place(node.at), name=printed(node.callee)))
        return None
    found = _aggregate(stage, *chain[1])
    if found is None:
        return None
    target, aggregate = found
    route = _route(aggregate, chain[2][0], len(node.arguments))
    if route is None and aggregate.partial:
        return None
    if route is None:
        at = stage.source.place(chain[2][1])
        near = nearest(chain[2][0], _routes(aggregate))
        name = aggregate.name
        stage.source.report(E2eUnknownMethod(at=at, aggregate=name, name=chain[2][0], nearest=near))
        return None
    return _made(stage, node, Target(target, route, path))


def _aggregate(stage: Stage, name: str, at: int) -> tuple[Ref, AggregateSignature] | None:
    """The aggregate whose plural is `name`, which every deployable must serve."""
    found: tuple[Ref, AggregateSignature] | None = None
    for deployable, contexts in stage.contexts.items():
        here = {
            camel(plural(words(item.name))): (Ref(context=context.name, name=item.name), item)
            for context in contexts
            for item in context.aggregates
        }
        if name not in here and (not contexts or deployable in stage.partial or _is_later(contexts, name)):
            return None  # what is wrong with the deployable itself has been told
        if name not in here:
            place = stage.source.place(at)
            near = nearest(name, here)
            problem = E2eUnknownAggregate(at=place, deployable=deployable, name=name, nearest=near)
            stage.source.report(problem)
            return None
        found = here[name]
    return found


def _spelled(declared: str, used: str) -> bool:
    return used in (declared, camel(words(declared)))


def _route(aggregate: AggregateSignature, name: str, given: int) -> Route | None:
    if name == "create" and aggregate.created:
        return Route(RequestKind.CREATE, "", takes_id=False, takes_body=True)
    if name == "getById" or (name == "delete" and aggregate.destroyed):
        return Route(_ID_ONLY[name], "", takes_id=True, takes_body=False)
    if name == "list":
        return Route(RequestKind.LIST, "", takes_id=False, takes_body=True)
    operation = next((item for item in aggregate.operations if _spelled(item.name, name)), None)
    find = next((item for item in aggregate.finds if _spelled(item.name, name)), None)
    if operation is not None and (find is None or given > 1):
        return Route(RequestKind.OPERATION, operation.name, takes_id=True, takes_body=True)
    if find is not None:
        return Route(RequestKind.FIND, find.name, takes_id=False, takes_body=True)
    return None


def _routes(aggregate: AggregateSignature) -> list[str]:
    fixed = ["getById", "list"]
    fixed += ["create"] if aggregate.created else []
    fixed += ["delete"] if aggregate.destroyed else []
    return fixed + [item.name for item in (*aggregate.operations, *aggregate.finds)]


def _made(stage: Stage, node: ast.Call, target: Target) -> Request | None:
    route = target.route
    most = int(route.takes_id) + int(route.takes_body)
    least = int(route.takes_id)
    given = [item.value for item in node.arguments]
    is_named = any(item.name for item in node.arguments)
    bodies = given[least:]
    if is_named or not least <= len(given) <= most or not all(isinstance(item, ast.ObjectLiteral) for item in bodies):
        _wrong_arguments(stage, node, route)
        return None
    names = (ID, BODY) if route.takes_id else (BODY,)
    values = [json(stage, item, (*target.path, name)) for item, name in zip(given, names, strict=False)]
    if any(value is None for value in values):
        return None
    identity: Json | None = values[0] if route.takes_id else None
    body: Json | None = values[least] if len(values) > least else None
    return Request(kind=route.kind, target=target.ref, member=route.member, id=identity, body=body)


def _wrong_arguments(stage: Stage, node: ast.Call, route: Route) -> None:
    name = _chain(node.callee)[-1][0]
    parts = (["id"] if route.takes_id else []) + (["{ … }"] if route.takes_body else [])
    expected = {"id": "an id", "{ … }": "an object"}
    said = " and ".join(expected[part] for part in parts)
    form = f"{name}({', '.join(parts)})"
    at = stage.source.place(node.at)
    stage.source.report(E2eArguments(at=at, name=name, expected=said, form=form))


def _is_later(contexts: Iterable[ContextSignature], name: str) -> bool:
    """Whether `name` may stand for something that Loom does not understand yet."""
    return any(camel(words(item)) == name for context in contexts for item in context.later)


def _workflow_request(
    stage: Stage, node: ast.Call, chain: list[tuple[str, int]], path: DeclarationPath
) -> Request | None:
    name, at = chain[0]
    found: tuple[Ref, WorkflowSignature] | None = None
    for deployable, contexts in stage.contexts.items():
        here = {
            camel(words(item.name)): (Ref(context=context.name, name=item.name), item)
            for context in contexts
            for item in context.workflows
        }
        found = here.get(camel(words(name)))
        if found is None and deployable in stage.partial:
            return None
        if found is None:
            place = stage.source.place(at)
            problem = E2eUnknownWorkflow(at=place, deployable=deployable, name=name, nearest=nearest(name, here))
            stage.source.report(problem)
            return None
    member = chain[1][0] if len(chain) == 2 else ""
    if found is None:
        return None
    if len(chain) > 2 or not any(_spelled(item, member) or item == member for item in found[1].creates):
        printed = ".".join(part for part, _ in chain)
        at_place = stage.source.place(chain[-1][1])
        known = [item for item in found[1].creates if item]
        near = nearest(member, known)
        report = E2eUnknownMethod(at=at_place, aggregate=found[1].name, name=member or printed, nearest=near)
        stage.source.report(report)
        return None
    declared = next(item for item in found[1].creates if item == member or _spelled(item, member))
    route = Route(RequestKind.WORKFLOW, declared, takes_id=False, takes_body=True)
    return _made(stage, node, Target(found[0], route, path))
