"""Statements of operations, creates, destroys and functions.

In: statements as written and the frame of their body. Out: resolved statements.
Never: what only workflows or tests have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from loom.ir import statements as ir
from loom.ir.expressions import Expr
from loom.ir.types import NOTHING, ArrayType, NullType, OptionalType
from loom.lower.bodies.assignments import assignment
from loom.lower.bodies.conditions import author_message, condition, source_of
from loom.lower.bodies.emits import emit
from loom.lower.bodies.flow import reachable
from loom.lower.bodies.invocations import invocation, operation_call
from loom.lower.expressions.defaults import hint
from loom.lower.problems.bodies import (
    BareExpressionStatement,
    DiscardedResult,
    FunctionBlockImpure,
    IfletBadSource,
    LoopSource,
    NotFoundOutsideHandler,
    ReturnType,
    ReturnUntyped,
    StatementNotAllowed,
)
from loom.lower.problems.names import DuplicateLocal
from loom.lower.problems.types import TypeUnknownHere
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.relations import fitted, show
from loom.parse import ast

Lowered = tuple[ir.Statement | None, Frame]

_LIFECYCLE = (ast.Precondition, ast.Requires, ast.Let, ast.Assign, ast.Emit, ast.For, ast.If)
_ALLOWED: Mapping[Body, tuple[type, ...]] = {
    Body.OPERATION: (*_LIFECYCLE, ast.Evaluate, ast.IfLet, ast.Return),
    Body.CREATE: _LIFECYCLE,
    Body.DESTROY: _LIFECYCLE,
    Body.FUNCTION: (ast.Precondition, ast.Let, ast.If, ast.Return, ast.Evaluate),
    Body.WORKFLOW_FUNCTION: (ast.Precondition, ast.Let, ast.If, ast.Return, ast.Evaluate),
}


def block(frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of `body`; wrong ones are left out, having been reported."""
    result = []
    for statement in reachable(frame, body):
        lowered, frame = one(frame, statement)
        if lowered is not None:
            result.append(lowered)
    return tuple(result)


def one(frame: Frame, node: ast.Statement) -> Lowered:
    """A statement, and the frame for those after it."""
    if isinstance(node, ast.Unsupported):
        frame.scope.source.unsupported(node.at, node.feature)
        return None, frame
    if not isinstance(node, _ALLOWED[frame.body]):
        return _refused(frame, node)
    if isinstance(node, ast.Let):
        return _let(frame, node)
    return _plain(frame, node), frame


def _plain(frame: Frame, node: ast.Statement) -> ir.Statement | None:  # noqa: C901 - one case a kind
    match node:
        case ast.Precondition():
            return precondition(frame, node)
        case ast.Requires(condition=written):
            value = condition(frame, written, "`requires`")
            return None if value is None else ir.Requires(condition=value, source=source_of(written))
        case ast.Assign():
            return assignment(frame, node)
        case ast.Emit():
            return emit(frame, node)
        case ast.If():
            return branch(frame, node)
        case ast.For():
            return _loop(frame, node)
        case ast.IfLet():
            return _if_let(frame, node)
        case ast.Return():
            return returned(frame, node)
        case ast.Evaluate():
            return _evaluate(frame, node)
        case ast.Let() | ast.NotFound() | ast.Expect() | ast.Unsupported():
            return None
    assert_never(node)


def _refused(frame: Frame, node: ast.Statement) -> Lowered:
    at = frame.at(node.at)
    name = statement_name(node)
    if isinstance(node, ast.NotFound):
        frame.report(NotFoundOutsideHandler(at=at))
    elif frame.body in (Body.FUNCTION, Body.WORKFLOW_FUNCTION):
        frame.report(FunctionBlockImpure(at=at, name=frame.owner, what=_VERBS.get(type(node), f"use {name}")))
    else:
        frame.report(StatementNotAllowed(at=at, statement=name, body=frame.body.value, hint=""))
    if isinstance(node, ast.IfLet):
        return None, frame.bind(node.name, None, Origin.LET)
    return None, frame


_VERBS: Mapping[type, str] = {ast.Assign: "assign", ast.Emit: "emit", ast.Requires: "gate its caller"}
_STATEMENT_NAMES: Mapping[type, str] = {
    ast.Precondition: "`precondition`",
    ast.Requires: "`requires`",
    ast.Let: "`let`",
    ast.Assign: "an assignment",
    ast.Emit: "`emit`",
    ast.For: "`for`",
    ast.If: "`if`",
    ast.IfLet: "`if let`",
    ast.Return: "`return`",
    ast.NotFound: "`notFound`",
    ast.Evaluate: "a call",
    ast.Expect: "`expect`",
}


def statement_name(node: ast.Statement) -> str:
    return _STATEMENT_NAMES.get(type(node), "this statement")


def precondition(frame: Frame, node: ast.Precondition) -> ir.Statement | None:
    message = author_message(frame, node.at, node.message)
    value = condition(frame, node.condition, "`precondition`")
    if value is None:
        return None
    return ir.Precondition(condition=value, message=message, source=source_of(node.condition))


def branch(
    frame: Frame, node: ast.If, inner: Callable[[Frame, tuple[ast.Statement, ...]], tuple[ir.Statement, ...]] = block
) -> ir.Statement | None:
    value = condition(frame, node.condition, "`if`")
    then, otherwise = inner(frame, node.body), inner(frame, node.otherwise)
    return None if value is None else ir.If(condition=value, then=then, otherwise=otherwise)


def free_name(frame: Frame, at: int, name: str) -> bool:
    """Whether `name` may be bound; a name that is taken is reported."""
    if name in frame.locals:
        frame.report(DuplicateLocal(at=frame.at(at), name=name))
        return False
    return True


def _let(frame: Frame, node: ast.Let) -> Lowered:
    is_free = free_name(frame, node.at, node.name)
    called = operation_call(frame, node.value)
    if called is not None and frame.body is Body.OPERATION:
        invoked = invocation(frame, called, node.name)
        type_ = called.operation.returns if called.operation.returns != NOTHING else None
        return (invoked if is_free else None), frame.bind(node.name, type_, Origin.LET)
    value = let_value(frame, node)
    statement = ir.Let(name=node.name, value=value) if value is not None and is_free else None
    return statement, frame.bind(node.name, value.type if value is not None else None, Origin.LET)


def let_value(frame: Frame, node: ast.Let) -> Expr | None:
    value = frame.lower(node.value, None)
    if value is not None and isinstance(value.type, NullType):
        return frame.fail(TypeUnknownHere(at=frame.at(node.value.at), literal="null"))
    return value


def _loop(frame: Frame, node: ast.For) -> ir.Statement | None:
    source = frame.lower(node.source, None)
    element = source.type.of if source is not None and isinstance(source.type, ArrayType) else None
    if source is not None and element is None:
        frame.report(LoopSource(at=frame.at(node.source.at), found=show(source.type)))
    if not free_name(frame, node.at, node.name):
        return None
    body = block(frame.bind(node.name, element, Origin.LOOP), node.body)
    if source is None or element is None:
        return None
    return ir.ForEach(name=node.name, source=source, read=None, body=body)


def _if_let(frame: Frame, node: ast.IfLet) -> ir.Statement | None:
    source = frame.lower(node.source, None)
    inner = source.type.of if source is not None and isinstance(source.type, OptionalType) else None
    if source is not None and inner is None:
        at = frame.at(node.source.at)
        frame.report(IfletBadSource(at=at, found=show(source.type), hint="use a plain `let`"))
    is_free = free_name(frame, node.at, node.name)
    then = block(frame.bind(node.name, inner, Origin.LET), node.body)
    otherwise = block(frame, node.otherwise)
    if source is None or inner is None or not is_free:
        return None
    return ir.IfLet(name=node.name, source=source, read=None, then=then, otherwise=otherwise)


def returned(frame: Frame, node: ast.Return) -> ir.Statement | None:
    value = frame.lower(node.value, frame.returns)
    if frame.returns == NOTHING:
        frame.report(ReturnUntyped(at=frame.at(node.at), name=frame.owner))
        return None
    if value is None or frame.returns is None:
        return None
    fit = fitted(value, frame.returns)
    if fit is not None:
        return ir.Return(value=fit)
    expected, found = show(frame.returns), show(value.type)
    at = frame.at(node.value.at)
    frame.report(ReturnType(at=at, name=frame.owner, expected=expected, found=found, hint=hint(expected, found)))
    return None


def _evaluate(frame: Frame, node: ast.Evaluate) -> ir.Statement | None:
    called = operation_call(frame, node.value)
    if called is not None:
        if frame.body is Body.OPERATION:
            return invocation(frame, called, "")
        at = frame.at(node.at)
        what = f"call the operation `{called.operation.name}`"
        frame.report(FunctionBlockImpure(at=at, name=frame.owner, what=what))
        return None
    report_idle(frame, node)
    return None


def report_idle(frame: Frame, node: ast.Evaluate) -> None:
    """Reports an expression that stands alone; one that is wrong in itself is reported for that alone."""
    before = len(frame.scope.source.problems)
    value = frame.lower(node.value, None)
    if len(frame.scope.source.problems) > before:
        return
    at = frame.at(node.at)
    if not isinstance(node.value, ast.Call):
        frame.report(BareExpressionStatement(at=at))
    elif value is not None:
        frame.report(DiscardedResult(at=at, name=called_name(node.value)))


def called_name(node: ast.Call) -> str:
    match node.callee:
        case ast.Name(name=name) | ast.Member(name=name):
            return name
        case _:
            return "this call"
