"""Statements of the operations of domain services.

In: statements as written and the frame of an operation. Out: resolved statements.
Never: an assignment, an event, a write of a repository, the start of a workflow.
"""

from __future__ import annotations

from loom.ir import statements as ir
from loom.ir.types import OptionalType, OptionType
from loom.lower.bodies.blocks import Lowered, free_name, statement_name
from loom.lower.bodies.factories import factory_target
from loom.lower.bodies.reads import DELETES, SAVES, repository_call
from loom.lower.bodies.workflow import WorkflowStatements
from loom.lower.mentions import first_name
from loom.lower.problems.bodies import (
    IfletBadSource,
    NotFoundOutsideHandler,
    ReturnType,
    ReturnUntyped,
    StatementNotAllowed,
)
from loom.lower.problems.services import (
    DomainServiceNoEmit,
    DomainServiceNoMutation,
    DomainServiceNoRepoWrite,
    DomainServiceNoWorkflowStart,
)
from loom.lower.scope.frames import Frame, Origin
from loom.lower.scope.relations import show
from loom.parse import ast
from loom.parse.printer import show as print_expression

_ALLOWED = (
    ast.Precondition, ast.Let, ast.Evaluate, ast.For, ast.IfLet, ast.If, ast.Return, ast.MatchBlocks,
)  # fmt: skip


def service_block(frame: Frame, service: str, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of `body`; wrong ones are left out, having been reported."""
    return _ServiceStatements(service).block(frame, body)


class _ServiceStatements(WorkflowStatements):
    UNTYPED = ReturnUntyped
    MISTYPED = ReturnType

    def __init__(self, service: str) -> None:
        self.service = service

    def allows(self, frame: Frame, node: ast.Statement) -> bool:
        return isinstance(node, _ALLOWED)

    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        at = frame.at(node.at)
        match node:
            case ast.Assign(target=target, value=value):
                frame.lower(value)
                printed = print_expression(target)
                frame.report(DomainServiceNoMutation(at=at, name=self.service, target=printed))
            case ast.Emit(event=event, fields=fields):
                for item in fields:
                    frame.lower(item.value)
                frame.report(DomainServiceNoEmit(at=at, name=self.service, event=event))
            case ast.NotFound():
                frame.report(NotFoundOutsideHandler(at=at))
            case ast.Enqueue(is_workflow=True, call=ast.Call(callee=callee)):
                name = first_name(callee)
                frame.report(DomainServiceNoWorkflowStart(at=at, name=self.service, workflow=name))
            case _:
                name = statement_name(node)
                frame.report(StatementNotAllowed(at=at, statement=name, body=frame.body.value, hint=""))
        return None, frame

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        if self._is_refused(frame, node.value):
            free_name(frame, node.at, node.name)
            return None, frame.bind(node.name, None, Origin.LET)
        return super().let(frame, node)

    def evaluate(self, frame: Frame, node: ast.Evaluate) -> Lowered:
        if self._is_refused(frame, node.value):
            return None, frame
        return super().evaluate(frame, node)

    def _is_refused(self, frame: Frame, node: ast.Expression) -> bool:
        """Reports a write, or the start of a workflow."""
        if not isinstance(node, ast.Call):
            return False
        call, at = repository_call(frame, node), frame.at(node.at)
        printed, head = print_expression(node.callee), first_name(node.callee)
        if factory_target(frame, node) is not None or (call is not None and call.method in (*SAVES, *DELETES)):
            frame.report(DomainServiceNoRepoWrite(at=at, name=self.service, call=printed))
        elif head in frame.scope.tables.commands.workflows and head not in frame.locals:
            frame.report(DomainServiceNoWorkflowStart(at=at, name=self.service, workflow=head))
        else:
            return False
        return True

    def loop(self, frame: Frame, node: ast.For) -> ir.Statement | None:
        is_read = repository_call(frame, node.source) is not None
        return super().loop(frame, node) if is_read else self.loop_over_collection(frame, node)

    def if_let(self, frame: Frame, node: ast.IfLet) -> ir.Statement | None:
        if repository_call(frame, node.source) is not None:
            return super().if_let(frame, node)
        source = frame.lower(node.source)
        type_ = source.type.of if source is not None and isinstance(source.type, OptionalType | OptionType) else None
        if source is not None and type_ is None:
            at = frame.at(node.source.at)
            frame.report(IfletBadSource(at=at, case="certain", found=show(source.type), hint="use a plain `let`"))
        then, otherwise, is_free = self.branches(frame, node, type_)
        if source is None or type_ is None or not is_free:
            return None
        return ir.IfLet(name=node.name, source=source, read=None, then=then, otherwise=otherwise)
