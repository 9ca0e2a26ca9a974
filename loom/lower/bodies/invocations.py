"""Calls of operations: by siblings on `this`, by workflows and tests on a local.

In: a call as written. Out: the operation that it names, and the resolved invocation.
"""

from __future__ import annotations

import msgspec

from loom.ir import statements as ir
from loom.ir.types import NOTHING, Ref, Type
from loom.lower.expressions.arguments import passed
from loom.lower.problems.bodies import StatementNotAllowed
from loom.lower.scope.frames import Frame
from loom.lower.scope.shapes import OperationShape
from loom.parse import ast


class OperationCall(msgspec.Struct, frozen=True):
    """`receiver` is a local's name, or empty for `this`."""

    node: ast.Call
    receiver: str
    aggregate: Ref
    operation: OperationShape


def operation_call(frame: Frame, node: ast.Expression) -> OperationCall | None:
    """The sibling operation that `node` calls, if it calls one."""
    if frame.aggregate is None or not isinstance(node, ast.Call):
        return None
    match node.callee:
        case ast.Name(name=name) | ast.Member(target=ast.This(), name=name):
            found = frame.aggregate.operations.get(name)
            return OperationCall(node, "", frame.aggregate.ref, found) if found is not None else None
        case _:
            return None


def bound_invocation(frame: Frame, called: OperationCall, name: str) -> tuple[ir.Invoke | None, Type | None]:
    """The call whose answer `name` keeps, and the type of that; an operation without an answer cannot be bound."""
    if called.operation.returns == NOTHING:
        at = frame.at(called.node.at)
        statement = f"a binding of `{called.operation.name}`, which answers nothing,"
        frame.report(StatementNotAllowed(at=at, statement=statement, body=frame.body.value, hint="call it by itself"))
        return None, None
    return invocation(frame, called, name), called.operation.returns


def invocation(frame: Frame, called: OperationCall, bind: str) -> ir.Invoke | None:
    arguments = passed(frame, called.node, called.operation.name, called.operation.parameters)
    if arguments is None:
        return None
    return ir.Invoke(
        receiver=called.receiver,
        aggregate=called.aggregate,
        operation=called.operation.name,
        arguments=arguments,
        bind=bind,
        mutates=called.operation.mutates,
    )
