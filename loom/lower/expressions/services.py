"""Operations of domain services inside expressions: only pure ones have a place there.

In: a call as written. Out: the typed call, or None when it is wrong, which has been reported then.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.base import nearest
from loom.ir.expressions import Expr, ServiceCall
from loom.ir.services import Tier
from loom.lower.expressions.arguments import passed
from loom.lower.expressions.names import is_value_name
from loom.lower.problems.expressions import CallUnknown
from loom.lower.problems.members import FieldDefaultNotConstant
from loom.lower.problems.repositories import WorkflowInlineRepositoryCall
from loom.lower.problems.services import DomainServiceInfraCallFromAggregate
from loom.lower.scope.frames import ENTRIES, Body, Frame
from loom.lower.scope.shapes import ServiceOperationShape, ServiceShape
from loom.parse import ast


class ServiceUse(NamedTuple):
    """A call of an operation of a domain service; `operation` is None for one that it has not."""

    node: ast.Call
    method: ast.Member
    service: ServiceShape
    operation: ServiceOperationShape | None

    @property
    def printed(self) -> str:
        return f"{self.service.ref.name}.{self.method.name}"


def service_use(frame: Frame, node: ast.Expression) -> ServiceUse | None:
    """The call on a domain service that `node` is."""
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=head)) as method) if not is_value_name(frame, head):
            service = frame.scope.tables.services.get(head)
            return ServiceUse(node, method, service, service.operations.get(method.name)) if service else None
        case _:
            return None


def service_call(frame: Frame, use: ServiceUse) -> Expr | None:
    """The call as a value."""
    operation = use.operation
    if operation is None:
        return unknown_operation(frame, use)
    at = frame.at(use.node.at)
    if frame.body is Body.DEFAULT:
        return frame.fail(FieldDefaultNotConstant(at=at, name=frame.owner, what=f"`{use.printed}(…)`"))
    if operation.tier is not Tier.PURE:
        _refuse(frame, use, operation.tier)
        lower_arguments(frame, use)
        return None
    arguments = passed(frame, use.node, use.printed, operation.parameters)
    if arguments is None or operation.returns is None:
        return None
    return ServiceCall(type=operation.returns, service=use.service.ref, operation=operation.name, arguments=arguments)


def unknown_operation(frame: Frame, use: ServiceUse) -> Expr | None:
    near = nearest(use.method.name, use.service.operations)
    lower_arguments(frame, use)
    return frame.fail(CallUnknown(at=frame.at(use.method.at), name=use.printed, nearest=near))


def lower_arguments(frame: Frame, use: ServiceUse) -> None:
    for argument in use.node.arguments:
        frame.lower(argument.value)


def _refuse(frame: Frame, use: ServiceUse, tier: Tier) -> None:
    at = frame.at(use.node.at)
    if frame.body in (*ENTRIES, Body.SERVICE):
        frame.report(WorkflowInlineRepositoryCall(at=at, name=use.printed))
    else:
        body = frame.body.value
        frame.report(DomainServiceInfraCallFromAggregate(at=at, call=use.printed, tier=tier.value, body=body))
