"""Calls of domain services as statements, and the bodies of their own operations.

In: statements as written. Out: resolved statements.
Never: a write: what a service changes, its caller saves.
"""

from __future__ import annotations

from loom.ir import statements as ir
from loom.ir.services import Tier
from loom.ir.types import NOTHING, Type
from loom.lower.expressions.arguments import passed
from loom.lower.expressions.services import ServiceUse, service_call, unknown_operation
from loom.lower.problems.bodies import DiscardedResult
from loom.lower.problems.repositories import WorkflowMutationUnsaved
from loom.lower.problems.workflows import WorkflowUnrecognisedStatement
from loom.lower.scope.frames import ENTRIES, Body, Frame, Origin
from loom.lower.scope.shapes import ServiceOperationShape
from loom.parse import ast


def bound_service(frame: Frame, use: ServiceUse, name: str) -> tuple[ir.Statement | None, Type | None]:
    """`let name = Service.operation(…)`, with what the name is then."""
    operation = use.operation
    if operation is None:
        unknown_operation(frame, use)
        return None, None
    at = frame.at(use.node.at)
    type_ = operation.returns if operation.returns != NOTHING else None
    if operation.returns == NOTHING:
        statement = f"a binding of `{use.printed}`, which answers nothing,"
        frame.report(WorkflowUnrecognisedStatement(at=at, statement=statement, hint=""))
    elif operation.tier is Tier.MUTATING and frame.body is not Body.SERVICE:
        frame.report(WorkflowMutationUnsaved(at=at, case="bound", name=operation.name))
    else:
        return _invoked(frame, use, operation, name), type_
    return None, type_


def service_statement(frame: Frame, use: ServiceUse) -> ir.Statement | None:
    """The call as a statement of its own; one that only answers has to be listened to."""
    operation = use.operation
    if operation is None:
        unknown_operation(frame, use)
        return None
    if operation.tier is not Tier.PURE and frame.body not in (*ENTRIES, Body.SERVICE):
        service_call(frame, use)  # reports where it may be called
        return None
    if operation.tier is not Tier.MUTATING and operation.returns != NOTHING:
        frame.report(DiscardedResult(at=frame.at(use.node.at), name=use.printed))
    return _invoked(frame, use, operation, "")


def _invoked(frame: Frame, use: ServiceUse, operation: ServiceOperationShape, bind: str) -> ir.InvokeService | None:
    changed = [_changed(frame, use, operation, index) for index in range(len(use.node.arguments))]
    arguments = passed(frame, use.node, use.printed, operation.parameters)
    if arguments is None:
        return None
    return ir.InvokeService(
        service=use.service.ref,
        operation=operation.name,
        arguments=arguments,
        bind=bind,
        changes=tuple(dict.fromkeys(name for name in changed if name)),
    )


def _changed(frame: Frame, use: ServiceUse, operation: ServiceOperationShape, index: int) -> str:
    """The local that is changed under this argument; empty for an argument that nothing happens to."""
    if index >= len(operation.parameters) or operation.parameters[index].name not in operation.changes:
        return ""
    written = use.node.arguments[index].value
    binding = frame.locals.get(written.name) if isinstance(written, ast.Name) else None
    at = frame.at(written.at)
    if isinstance(written, ast.Call):  # which is reported where it stands
        return ""
    if binding is None:
        name = operation.parameters[index].name
        frame.report(WorkflowMutationUnsaved(at=at, case="handed", name=name))
        return ""
    name = written.name if isinstance(written, ast.Name) else ""
    if binding.origin is Origin.DELETED:
        frame.report(WorkflowMutationUnsaved(at=at, case="deleted", name=name))
    if frame.body is Body.SERVICE and binding.origin is Origin.LOADED:
        frame.report(WorkflowMutationUnsaved(at=at, case="service", name=name))
    return name
