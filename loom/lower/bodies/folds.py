"""Statements of `apply`: how an event changes what is folded from the log.

In: statements as written and the frame of an instance. Out: resolved statements.
Never: anything but the event and the instance: a fold gives the same at every replay.
"""

from __future__ import annotations

from abc import abstractmethod

from loom.ir import statements as ir
from loom.lower.bodies.assignments import assignment
from loom.lower.bodies.blocks import Lowered, Statements, free_name, let_value, report_idle, statement_name
from loom.lower.bodies.invocations import operation_call
from loom.lower.bodies.reads import repository_call
from loom.lower.expressions.calls import function_named
from loom.lower.mentions import below
from loom.lower.problems.sourcing import (
    ApplierEmits,
    ApplierGuard,
    ApplierImpure,
    ApplierImpureCall,
    ApplierStmtInvalid,
)
from loom.lower.scope.frames import Frame, Origin
from loom.parse import ast

_CLOCK = ("now", "isOverdue", "isFuture", "isPast")


def fold(frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of `body`; wrong ones are left out, having been reported."""
    for item in below(body):
        match item:
            case ast.Call(callee=ast.Name(name=name), at=at) if name in _CLOCK and function_named(frame, name) is None:
                frame.report(ApplierImpure(at=frame.at(at), what=f"`{name}(…)` reads the clock"))
    return _FoldStatements().block(frame, body)


class PureStatements(Statements):
    """What only computes from what it is given; `refuses_call` reports a call that does more."""

    def allows(self, frame: Frame, node: ast.Statement) -> bool:
        return isinstance(node, ast.Assign | ast.Let | ast.If | ast.Evaluate)

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        is_free = free_name(frame, node.at, node.name)
        value = None if self.refuses_call(frame, node.value) else let_value(frame, node)
        statement = ir.Let(name=node.name, value=value) if value is not None and is_free else None
        return statement, frame.bind(node.name, value.type if value is not None else None, Origin.LET)

    def evaluate(self, frame: Frame, node: ast.Evaluate) -> Lowered:
        if not self.refuses_call(frame, node.value):
            report_idle(frame, node)
        return None, frame

    @abstractmethod
    def refuses_call(self, frame: Frame, node: ast.Expression) -> bool: ...


class _FoldStatements(PureStatements):
    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        at = frame.at(node.at)
        match node:
            case ast.Emit(event=event):
                frame.report(ApplierEmits(at=at, event=event))
            case ast.Precondition() | ast.Requires():
                frame.report(ApplierGuard(at=at, statement=statement_name(node)))
            case _:
                frame.report(ApplierStmtInvalid(at=at, statement=statement_name(node)))
        return None, frame

    def assign(self, frame: Frame, node: ast.Assign) -> ir.Statement | None:
        return assignment(frame, node)

    def refuses_call(self, frame: Frame, node: ast.Expression) -> bool:
        """Reports a call that changes or reads something else."""
        operation, read = operation_call(frame, node), repository_call(frame, node)
        name = operation.operation.name if operation is not None else read.printed if read is not None else ""
        if name:
            frame.report(ApplierImpureCall(at=frame.at(node.at), name=name))
        return bool(name)
