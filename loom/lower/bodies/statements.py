"""Statements of operations, creates, destroys and functions.

In: statements as written and the frame of their body. Out: resolved statements.
Never: what only workflows or tests have.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.ir import statements as ir
from loom.ir.types import ArrayType, OptionalType, OptionType
from loom.lower.bodies.assignments import assignment
from loom.lower.bodies.blocks import Lowered, Statements, free_name, let_value, report_idle, statement_name
from loom.lower.bodies.invocations import bound_invocation, invocation, operation_call
from loom.lower.bodies.services import service_statement
from loom.lower.expressions.names import is_value_name
from loom.lower.expressions.sensitivity import tags_of
from loom.lower.expressions.services import service_use
from loom.lower.problems.bodies import (
    FunctionBlockImpure,
    IfletBadSource,
    LoopSource,
    NotFoundOutsideHandler,
    StatementNotAllowed,
)
from loom.lower.problems.sourcing import EventSourcedCommandMutation, LifecycleGuardEventSourced
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.relations import show
from loom.parse import ast
from loom.parse.printer import show as print_expression

_LIFECYCLE = (ast.Precondition, ast.Requires, ast.Let, ast.Assign, ast.Emit, ast.For, ast.If)
_SOURCED = (ast.Precondition, ast.Let, ast.Emit, ast.If, ast.IfLet)
_FUNCTION = (ast.Precondition, ast.Let, ast.If, ast.Return, ast.Evaluate)
_ALLOWED: Mapping[Body, tuple[type, ...]] = {
    Body.OPERATION: (*_LIFECYCLE, ast.Evaluate, ast.IfLet, ast.MatchBlocks, ast.Return),
    Body.CREATE: _LIFECYCLE,
    Body.DESTROY: _LIFECYCLE,
    Body.SOURCED_OPERATION: (*_SOURCED, ast.Requires, ast.Evaluate, ast.Return),
    Body.SOURCED_CREATE: _SOURCED,
    Body.SOURCED_DESTROY: (*_SOURCED, ast.Requires),
    Body.FUNCTION: _FUNCTION,
    Body.WORKFLOW_FUNCTION: _FUNCTION,
    Body.FIRST_STAMP: (ast.Assign,),
    Body.STAMP: (ast.Assign,),
}
_COMMANDS: Mapping[Body, str] = {
    Body.SOURCED_OPERATION: "an operation",
    Body.SOURCED_CREATE: "the create",
    Body.SOURCED_DESTROY: "the destroy",
}
_CALLING = (Body.OPERATION, Body.SOURCED_OPERATION)
_VERBS: Mapping[type, str] = {ast.Assign: "assign", ast.Emit: "emit", ast.Requires: "gate its caller"}


def block(frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of `body`; wrong ones are left out, having been reported."""
    return _DomainStatements().block(frame, body)


def _is_of_resource(frame: Frame, node: ast.Expression) -> bool:
    """Whether it calls a resource, which is told of wherever it stands."""
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=name))):
            return name in frame.scope.names.resources and not is_value_name(frame, name)
        case _:
            return False


def _mutation(frame: Frame, node: ast.Assign) -> EventSourcedCommandMutation:
    place, command = frame.at(node.target.at), _COMMANDS[frame.body]
    return EventSourcedCommandMutation(at=place, case="assign", command=command, name=print_expression(node.target))


class _DomainStatements(Statements):
    def allows(self, frame: Frame, node: ast.Statement) -> bool:
        return isinstance(node, _ALLOWED[frame.body])

    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        at = frame.at(node.at)
        name = statement_name(node)
        if isinstance(node, ast.NotFound):
            frame.report(NotFoundOutsideHandler(at=at))
        elif isinstance(node, ast.Evaluate) and _is_of_resource(frame, node.value):
            frame.lower(node.value)
        elif isinstance(node, ast.Assign) and frame.body in _COMMANDS:
            frame.report(_mutation(frame, node))
        elif isinstance(node, ast.Requires) and frame.body is Body.SOURCED_CREATE:
            frame.report(LifecycleGuardEventSourced(at=at))
        elif frame.body in (Body.FUNCTION, Body.WORKFLOW_FUNCTION):
            frame.report(FunctionBlockImpure(at=at, name=frame.owner, what=_VERBS.get(type(node), f"use {name}")))
        else:
            frame.report(StatementNotAllowed(at=at, statement=name, body=frame.body.value, hint=""))
        if isinstance(node, ast.IfLet):
            return None, frame.bind(node.name, None, Origin.LET)
        return None, frame

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        is_free = free_name(frame, node.at, node.name)
        called = operation_call(frame, node.value)
        if called is not None and frame.body in _CALLING:
            invoked, type_ = bound_invocation(frame, called, node.name)
            return (invoked if is_free else None), frame.bind(node.name, type_, Origin.LET)
        value = let_value(frame, node)
        statement = ir.Let(name=node.name, value=value) if value is not None and is_free else None
        return statement, frame.bind(node.name, value.type if value else None, Origin.LET, tags_of(frame, value))

    def evaluate(self, frame: Frame, node: ast.Evaluate) -> Lowered:
        if (use := service_use(frame, node.value)) is not None and frame.body in _CALLING:
            return service_statement(frame, use), frame
        called = operation_call(frame, node.value)
        if called is None:
            report_idle(frame, node)
            return None, frame
        if frame.body in _CALLING:
            return invocation(frame, called, ""), frame
        at = frame.at(node.at)
        what = f"call the operation `{called.operation.name}`"
        frame.report(FunctionBlockImpure(at=at, name=frame.owner, what=what))
        return None, frame

    def assign(self, frame: Frame, node: ast.Assign) -> ir.Statement | None:
        return assignment(frame, node)

    def loop(self, frame: Frame, node: ast.For) -> ir.Statement | None:
        source = frame.lower(node.source, None)
        element = source.type.of if source is not None and isinstance(source.type, ArrayType) else None
        if source is not None and element is None:
            frame.report(LoopSource(at=frame.at(node.source.at), found=show(source.type)))
        if not free_name(frame, node.at, node.name):
            return None
        body = self.block(frame.bind(node.name, element, Origin.LOOP, tags_of(frame, source)), node.body)
        if source is None or element is None:
            return None
        return ir.ForEach(name=node.name, source=source, read=None, body=body)

    def if_let(self, frame: Frame, node: ast.IfLet) -> ir.Statement | None:
        source = frame.lower(node.source, None)
        inner = source.type.of if source is not None and isinstance(source.type, OptionalType | OptionType) else None
        if source is not None and inner is None:
            at = frame.at(node.source.at)
            frame.report(IfletBadSource(at=at, case="certain", found=show(source.type), hint="use a plain `let`"))
        is_free = free_name(frame, node.at, node.name)
        then = self.block(frame.bind(node.name, inner, Origin.LET, tags_of(frame, source)), node.body)
        otherwise = self.block(frame, node.otherwise)
        if source is None or inner is None or not is_free:
            return None
        return ir.IfLet(name=node.name, source=source, read=None, then=then, otherwise=otherwise)
