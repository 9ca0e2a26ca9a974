"""Statements of workflow bodies: branches, loops, events, ends; `bindings` has the loads and calls.

In: statements as written and the frame of a create. Out: resolved statements.
Never: mutation of anything but through operations; saving is for whoever runs the body.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, assert_never

from loom.ir import statements as ir
from loom.ir.types import NOTHING, AggregateType, OptionalType, Type
from loom.lower.bodies.bindings import evaluate, let
from loom.lower.bodies.conditions import author_message, condition, source_of
from loom.lower.bodies.emits import emit
from loom.lower.bodies.flow import reachable
from loom.lower.bodies.reads import RepositoryCall, answered, read, repository_call
from loom.lower.bodies.statements import (
    Lowered,
    branch,
    free_name,
    precondition,
    statement_name,
)
from loom.lower.expressions.defaults import hint
from loom.lower.problems.bodies import IfletBadSource
from loom.lower.problems.workflows import (
    NotFoundDetail,
    WorkflowForeachSource,
    WorkflowReturnType,
    WorkflowReturnUntyped,
    WorkflowUncorrelatedStateWrite,
    WorkflowUnrecognisedStatement,
)
from loom.lower.scope.frames import Frame, Origin
from loom.lower.scope.relations import fitted, show
from loom.parse import ast


def workflow_block(frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
    result = []
    for statement in reachable(frame, body):
        lowered, frame = _one(frame, statement)
        if lowered is not None:
            result.append(lowered)
    return tuple(result)


def _one(frame: Frame, node: ast.Statement) -> Lowered:
    if isinstance(node, ast.Unsupported):
        frame.scope.source.unsupported(node.at, node.feature)
        return None, frame
    if isinstance(node, ast.Let):
        return let(frame, node)
    if isinstance(node, ast.Evaluate):
        return evaluate(frame, node)
    return _plain(frame, node), frame


def _plain(frame: Frame, node: ast.Statement) -> ir.Statement | None:  # noqa: C901 - one case a kind
    match node:
        case ast.Precondition():
            return precondition(frame, node)
        case ast.Requires(condition=written):
            value = condition(frame, written, "`requires`")
            return None if value is None else ir.Requires(condition=value, source=source_of(written))
        case ast.Emit():
            return emit(frame, node)
        case ast.If():
            return branch(frame, node, workflow_block)
        case ast.For():
            return _loop(frame, node)
        case ast.IfLet():
            return _if_let(frame, node)
        case ast.NotFound():
            return _not_found(frame, node)
        case ast.Return():
            return _return(frame, node)
        case ast.Assign():
            return _assign(frame, node)
        case ast.Expect() | ast.Let() | ast.Evaluate() | ast.Unsupported():
            at, name = frame.at(node.at), statement_name(node)
            frame.report(WorkflowUnrecognisedStatement(at=at, statement=name, hint=""))
            return None
    assert_never(node)


def _loop(frame: Frame, node: ast.For) -> ir.Statement | None:
    call = repository_call(frame, node.source)
    found = read(frame, call) if call is not None else None
    answer = answered(frame, call) if call is not None else None
    if call is None:
        frame.lower(node.source, None)
    is_single = answer is not None and answer[1] is not ir.Cardinality.MANY
    if is_single or (call is None and not isinstance(node.source, ast.Unsupported)):
        frame.report(_bad_source(frame, node.source.at, call, answer[1] if answer is not None else None))
        found = None
    type_ = answer[0] if answer is not None else None
    if not free_name(frame, node.at, node.name):
        return None
    body = workflow_block(frame.bind(node.name, type_, Origin.LOOP), node.body)
    return None if found is None else ir.ForEach(name=node.name, source=None, read=found, body=body)


def _bad_source(
    frame: Frame, at: int, call: RepositoryCall | None, gives: ir.Cardinality | None
) -> WorkflowForeachSource:
    if call is None or gives is None:
        return WorkflowForeachSource(at=frame.at(at), case="other", name="")
    case: Literal["one", "page"] = "page" if gives is ir.Cardinality.PAGE else "one"
    return WorkflowForeachSource(at=frame.at(at), case=case, name=call.printed)


def _if_let(frame: Frame, node: ast.IfLet) -> ir.Statement | None:
    call = repository_call(frame, node.source)
    if call is None:
        return _if_let_binding(frame, node)
    found = read(frame, call)
    answer = answered(frame, call)
    if answer is not None and answer[1] is not ir.Cardinality.OPTIONAL:
        at = frame.at(node.source.at)
        bad = f"`{call.printed}`"
        frame.report(IfletBadSource(at=at, found=bad, hint="use `findById`, `findBy` or a find that answers `T?`"))
        found = None
    then, otherwise, is_free = _branches(frame, node, answer[0] if answer is not None else None)
    if found is None or not is_free:
        return None
    return ir.IfLet(name=node.name, source=None, read=found, then=then, otherwise=otherwise)


def _if_let_binding(frame: Frame, node: ast.IfLet) -> ir.Statement | None:
    """An optional that is bound already."""
    source = frame.lower(node.source, None)
    type_ = source.type.of if source is not None and isinstance(source.type, OptionalType) else None
    if source is not None and (type_ is None or not isinstance(node.source, ast.Name)):
        at = frame.at(node.source.at)
        hint_text = "bind an optional first, or read one with `findById`, `findBy` or a find that answers `T?`"
        frame.report(IfletBadSource(at=at, found=show(source.type), hint=hint_text))
        source = None
    then, otherwise, is_free = _branches(frame, node, type_)
    if source is None or not is_free:
        return None
    return ir.IfLet(name=node.name, source=source, read=None, then=then, otherwise=otherwise)


def _branches(
    frame: Frame, node: ast.IfLet, type_: Type | None
) -> tuple[tuple[ir.Statement, ...], tuple[ir.Statement, ...], bool]:
    is_free = free_name(frame, node.at, node.name)
    then = workflow_block(frame.bind(node.name, type_, Origin.LOADED), node.body)
    missing = type_.ref.name if isinstance(type_, AggregateType) else ""
    unknown = "unknown" if type_ is None else ""
    otherwise = workflow_block(replace(frame, missing=missing or unknown), node.otherwise)
    return then, otherwise, is_free


def _not_found(frame: Frame, node: ast.NotFound) -> ir.Statement | None:
    detail = author_message(frame, node.at, node.message)
    if not detail and node.message is None:
        detail = f"{frame.missing} not found" if frame.missing else ""
        if not detail:
            frame.report(NotFoundDetail(at=frame.at(node.at)))
    return ir.NotFound(detail=detail) if detail else None


def _return(frame: Frame, node: ast.Return) -> ir.Statement | None:
    value = frame.lower(node.value, frame.returns)
    if frame.returns == NOTHING:
        frame.report(WorkflowReturnUntyped(at=frame.at(node.at), name=frame.owner))
        return None
    if value is None or frame.returns is None:
        return None
    fit = fitted(value, frame.returns)
    if fit is not None:
        return ir.Return(value=fit)
    expected, found = show(frame.returns), show(value.type)
    frame.report(
        WorkflowReturnType(
            at=frame.at(node.value.at),
            name=frame.owner,
            expected=expected,
            found=found,
            hint=hint(expected, found),
        )
    )
    return None


def _assign(frame: Frame, node: ast.Assign) -> ir.Statement | None:
    """State is the only thing that a workflow assigns itself."""
    frame.lower(node.value, None)
    name = node.target.name if isinstance(node.target, ast.Name | ast.Member) else ""
    binding = frame.locals.get(name) if isinstance(node.target, ast.Name) else None
    if binding is not None and binding.origin is Origin.STATE:
        frame.report(WorkflowUncorrelatedStateWrite(at=frame.at(node.target.at), name=name))
    elif binding is None or binding.type is not None:
        hint_text = "call an operation of the aggregate"
        problem = WorkflowUnrecognisedStatement(
            at=frame.at(node.at), statement=f"`{node.operator.value}`", hint=hint_text
        )
        frame.report(problem)
    return None
