"""What a body leaves for later: `afterCommit` blocks and enqueued commands.

In: statements as written and the frame of a workflow or command handler. Out: resolved statements.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.base import Feature, nearest
from loom.ir import statements as ir
from loom.ir.types import AggregateType, Ref
from loom.lower.bodies.blocks import Lowered, Statements, free_name, let_value, report_idle, statement_name
from loom.lower.bodies.reads import repository_call
from loom.lower.bodies.resources import resource_call, use_resource
from loom.lower.expressions.arguments import passed
from loom.lower.problems.later import AfterCommitEffect, EnqueueTarget
from loom.lower.problems.names import LinkingError
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.shapes import CommandShape
from loom.parse import ast


def after_commit(frame: Frame, node: ast.AfterCommit) -> ir.Statement:
    frame.scope.source.use(node.at, Feature.AFTER_COMMIT)
    return ir.AfterCommit(body=_LaterStatements().block(frame.within(Body.AFTER_COMMIT), node.body))


class _LaterStatements(Statements):
    """Whatever an `afterCommit` block changes is changed outside of the service."""

    def allows(self, frame: Frame, node: ast.Statement) -> bool:
        return isinstance(node, ast.Let | ast.If | ast.Evaluate)

    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        frame.report(AfterCommitEffect(at=frame.at(node.at), what=statement_name(node)))
        return None, frame

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        is_free = free_name(frame, node.at, node.name)
        if (resource := resource_call(frame, node.value)) is not None:
            used, type_ = use_resource(frame, resource, node.name)
            return (used if is_free else None), frame.bind(node.name, type_, Origin.LET)
        value = None if _refuses_call(frame, node.value) else let_value(frame, node)
        statement = ir.Let(name=node.name, value=value) if value is not None and is_free else None
        return statement, frame.bind(node.name, value.type if value is not None else None, Origin.LET)

    def evaluate(self, frame: Frame, node: ast.Evaluate) -> Lowered:
        if (resource := resource_call(frame, node.value)) is not None:
            return use_resource(frame, resource, "")[0], frame
        if not _refuses_call(frame, node.value):
            report_idle(frame, node)
        return None, frame


def _refuses_call(frame: Frame, node: ast.Expression) -> bool:
    """Reports a call that belongs into the transaction."""
    name = _called(frame, node)
    if name:
        frame.report(AfterCommitEffect(at=frame.at(node.at), what=f"the call of `{name}`"))
    return bool(name)


def _called(frame: Frame, node: ast.Expression) -> str:
    read = repository_call(frame, node)
    if read is not None:
        return read.printed
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=receiver), name=method)):
            tables = frame.scope.tables
            if receiver in tables.aggregates and method == "create" and receiver not in frame.locals:
                return f"{receiver}.create"
            binding = frame.locals.get(receiver)
            type_ = binding.type if binding is not None else None
            shape = tables.aggregates.get(type_.ref.name) if isinstance(type_, AggregateType) else None
            return f"{receiver}.{method}" if shape is not None and method in shape.operations else ""
        case _:
            return ""


def enqueue(frame: Frame, node: ast.Enqueue) -> ir.Statement | None:
    frame.scope.source.use(node.at, Feature.ENQUEUE)
    found = _workflow(frame, node) if node.is_workflow else _handler(frame, node)
    if found is None:
        for argument in node.call.arguments:
            frame.lower(argument.value, None)
        return None
    name, shape = found
    arguments = passed(frame, node.call, shape.name or name, shape.parameters)
    if arguments is None:
        return None
    target = Ref(context=frame.scope.names.context, name=name)
    entry = shape.name if node.is_workflow else ""
    return ir.Enqueue(target=target, workflow=node.is_workflow, entry=entry, arguments=arguments)


def _handler(frame: Frame, node: ast.Enqueue) -> tuple[str, CommandShape] | None:
    handlers = frame.scope.tables.commands.handlers
    match node.call.callee:
        case ast.Name(name=name, at=at):
            found = handlers.get(name)
            if found is not None and not found.is_query:
                return name, found
            if found is not None:
                frame.report(EnqueueTarget(at=frame.at(at), case="query", name=name))
                return None
        case callee:
            name, at = "", callee.at
    _unknown(frame, at, "command handler", name, handlers)
    return None


def _workflow(frame: Frame, node: ast.Enqueue) -> tuple[str, CommandShape] | None:
    workflows = frame.scope.tables.commands.workflows
    match node.call.callee:
        case ast.Name(name=name, at=at):
            entry = ""
        case ast.Member(target=ast.Name(name=name), name=entry, at=at):
            pass
        case callee:
            name, entry, at = "", "", callee.at
    entries = workflows.get(name)
    if entries is None:
        _unknown(frame, at, "workflow", name, workflows)
    elif entry in entries:
        return name, entries[entry]
    elif entry:
        _unknown(frame, at, "create", entry, entries)
    else:
        frame.report(EnqueueTarget(at=frame.at(at), case="event", name=name))
    return None


def _unknown(frame: Frame, at: int, kind: str, name: str, known: Mapping[str, object]) -> None:
    near = nearest(name, [item for item in known if item])
    frame.report(LinkingError(at=frame.at(at), kind=kind, name=name, nearest=near))
