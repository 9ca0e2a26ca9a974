"""Command and query handlers: entries of a context that an api routes to.

In: their declarations and the frame of the context. Out: IR handlers. A body obeys the rules of workflows, but
has no gate: the operations that it calls have theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from loom.base import Feature
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.expressions import Expr, Local
from loom.ir.members import Gate
from loom.ir.types import NOTHING, AggregateType, ArrayType
from loom.lower.bodies.nested import every_statement
from loom.lower.declarations.members import parameters
from loom.lower.mentions import below
from loom.lower.problems.handlers import (
    CommandHandlerMultiAggregate,
    DuplicateHandler,
    ExternHandlerHasBody,
    HandlerMissingBody,
    HandlerParamReservedId,
    QueryHandlerSaves,
)
from loom.lower.problems.workflows import WorkflowUnrecognisedStatement
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.names import Kind
from loom.lower.scope.resources import verbs_of
from loom.lower.scope.typerefs import TypeScope
from loom.lower.signature import ResourceSignature
from loom.lower.workflows.commands import STATELESS, command, record, result
from loom.parse import ast


def handlers(frame: Frame, context: ast.Context) -> tuple[ir.Handler, ...]:
    found = [item for item in context.members if isinstance(item, ast.Handler)]
    workflows = {item.name: "a workflow" for item in context.members if isinstance(item, ast.Workflow)}
    local = frame.scope.names.local
    taken = {name: _said(kind) for name, kind in local.items() if kind is not Kind.RECORD} | workflows
    made = []
    for item in found:
        if item.name in taken:
            frame.report(DuplicateHandler(at=frame.at(item.at), name=item.name, other=taken[item.name]))
            continue
        taken[item.name] = "a handler"
        made.append(_handler(frame, item))
    return tuple(made)


def _said(kind: Kind) -> str:
    return f"{'an' if kind.value[0] in 'aeiou' else 'a'} {kind.value}"


def _handler(frame: Frame, declared: ast.Handler) -> ir.Handler:
    frame.scope.source.declare(declared.at, declared.name)
    frame.scope.source.use(declared.at, Feature.HANDLERS)
    _check_form(frame, declared)
    body = declared.body or ()
    for item in below(body):
        if isinstance(item, ast.Requires):
            hint = "gate the operation that it calls"
            frame.report(WorkflowUnrecognisedStatement(at=frame.at(item.at), statement="`requires`", hint=hint))
    returns = declared.returns
    written = ast.WorkflowCreate(declared.at, declared.name, declared.parameters, None, None, returns, body)
    made = _entry(frame, written, is_extern=declared.is_extern)
    _check_effects(frame, declared, made.body)
    return ir.Handler(
        name=declared.name,
        query=declared.is_query,
        parameters=made.parameters,
        returns=made.returns,
        body=None if declared.is_extern else (*map(_requirement, made.requires), *made.body),
    )


def _entry(frame: Frame, written: ast.WorkflowCreate, *, is_extern: bool) -> ir.WorkflowCreate:
    """What a handler is, as a create would be; of an extern one only the head is looked at."""
    types = TypeScope(frame.scope.names, frame.scope.source)
    given = frame.scope.tables.commands.handlers[written.name].parameters
    inner = replace(frame, body=Body.HANDLER, owner=written.name)
    if not is_extern:
        return command(inner, written, given, types, STATELESS)
    return ir.WorkflowCreate(
        name=written.name,
        parameters=parameters(inner, given),
        record=record(inner, written, given),
        returns=result(inner, written, types) or NOTHING,
        requires=(),
        body=(),
    )


def _requirement(gate: Gate) -> st.Statement:
    return st.Requires(condition=gate.condition, source=gate.source)


def _check_form(frame: Frame, declared: ast.Handler) -> None:
    at = frame.at(declared.at)
    if declared.body is None and not declared.is_extern:
        frame.report(HandlerMissingBody(at=at, name=declared.name))
    if declared.body is not None and declared.is_extern:
        frame.report(ExternHandlerHasBody(at=at, name=declared.name))
    for parameter in declared.parameters:
        if parameter.name == "id":
            frame.report(HandlerParamReservedId(at=frame.at(parameter.at)))


def _check_effects(frame: Frame, declared: ast.Handler, body: Iterable[st.Statement]) -> None:
    at = frame.at(declared.at)
    effects = list(_effects(body, frame.scope.names.resources))
    if declared.is_query:
        if effects:
            frame.report(QueryHandlerSaves(at=at, name=declared.name, what=effects[0][1]))
        return
    changed = list(dict.fromkeys(name for name, _ in effects if name))
    if len(changed) > 1:
        names = ", ".join(f"`{name}`" for name in changed)
        frame.report(CommandHandlerMultiAggregate(at=at, name=declared.name, aggregates=names))


def _effects(  # noqa: C901 - one case a kind
    body: Iterable[st.Statement], resources: Mapping[str, ResourceSignature]
) -> Iterator[tuple[str, str]]:
    """The aggregate that is changed, if one is, and how."""
    for item in every_statement(body):
        match item:
            case st.CreateInstance(aggregate=ref):
                yield ref.name, f"creates a `{ref.name}`"
            case st.Delete(aggregate=ref):
                yield ref.name, f"deletes a `{ref.name}`"
            case st.Invoke(aggregate=ref, mutates=True, operation=operation):
                yield ref.name, f"calls `{operation}`, which changes a `{ref.name}`"
            case st.InvokeService(operation=operation, changes=changes):
                for name in _changed(item.arguments, changes):
                    yield name, f"calls `{operation}`, which changes a `{name}`"
            case st.Emit(event=ref):
                yield "", f"emits `{ref.name}`"
            case st.Enqueue(target=ref):
                yield "", f"enqueues `{ref.name}`"
            case st.AfterCommit():
                yield "", "leaves something for `afterCommit`"
            case st.UseResource(resource=name, verb=verb) if not verbs_of(resources[name])[verb].reads:
                yield "", f"calls `{name}.{verb}`"


def _changed(arguments: Iterable[Expr], changes: Iterable[str]) -> Iterator[str]:
    """The aggregates among `arguments` that go by one of the names in `changes`."""
    for item in arguments:
        kind = item.type.of if isinstance(item.type, ArrayType) else item.type
        if isinstance(item, Local) and item.name in changes and isinstance(kind, AggregateType):
            yield kind.ref.name
