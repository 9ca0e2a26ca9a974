"""Calls: functions of the model, built-ins, and reports for what cannot be called in an expression.

In: a call as written. Out: a typed call with every argument given.
Never: operations, reads and factories; those are statements.
"""

from __future__ import annotations

from loom.base import Diagnostic, NodePath, nearest
from loom.ir.expressions import Expr, FunctionCall, This
from loom.ir.types import AggregateType, ArrayType, OptionalType
from loom.lower.expressions.arguments import passed
from loom.lower.expressions.builtin.forms import FORMS
from loom.lower.expressions.builtin.members import builtin_call
from loom.lower.expressions.builtin.prelude import prelude_call
from loom.lower.expressions.names import is_value_name, optional_access
from loom.lower.expressions.predicates import predicate
from loom.lower.expressions.principal import PRINCIPAL, grant, is_grant
from loom.lower.expressions.services import service_call, service_use
from loom.lower.problems.bodies import StatementNotAllowed
from loom.lower.problems.expressions import (
    CallUnknown,
    LegacyPartCall,
    LegacyVoCall,
    MethodCallUnresolvedReceiver,
    OperationCallInExpression,
)
from loom.lower.problems.later import AfterCommitEffect
from loom.lower.problems.members import FieldDefaultNotConstant
from loom.lower.problems.predicates import CriterionImpure
from loom.lower.problems.repositories import (
    FactoryPosition,
    WorkflowCrossContextRepository,
    WorkflowInlineRepositoryCall,
)
from loom.lower.problems.resources import ResourceOpOutsideWorkflow
from loom.lower.problems.sourcing import ApplierImpureCall
from loom.lower.problems.tests import AggregateTestContext, IntegrationFindMustBind
from loom.lower.problems.workflows import WorkflowForeachUnknownBinding, WorkflowUnknownBinding
from loom.lower.scope.frames import ENTRIES, Body, Frame
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.shapes import FunctionShape
from loom.parse import ast


def call(frame: Frame, node: ast.Call) -> Expr | None:
    match node.callee:
        case ast.Name(name=name):
            return _bare(frame, node, name)
        case ast.Member():
            return _method(frame, node, node.callee)
        case ast.Unsupported(at=at, feature=feature):
            frame.scope.source.unsupported(at, feature)
            return None
    return frame.fail(CallUnknown(at=frame.at(node.at), name="this value", nearest=""))


def _bare(frame: Frame, node: ast.Call, name: str) -> Expr | None:
    found = function_named(frame, name)
    if found is not None:
        if frame.body is Body.DEFAULT:
            return _not_constant(frame, node, name)
        return function_call(frame, node, found, _own_receiver(frame, found))
    if (named := frame.scope.tables.predicates.get(name)) is not None:
        return predicate(frame, node, named)
    if name in FORMS:
        return prelude_call(frame, node.at, name, node.arguments)
    return _nothing_to_call(frame, node, name)


def function_named(frame: Frame, name: str) -> FunctionShape | None:
    own = frame.this.functions.get(name) if frame.this is not None else None
    return own or frame.functions.get(name) or frame.scope.tables.functions.get(name)


def _own_receiver(frame: Frame, found: FunctionShape) -> Expr | None:
    is_own = frame.this is not None and frame.this.functions.get(found.name) is found
    return This(type=frame.this.type) if is_own and frame.this is not None else None


def _not_constant(frame: Frame, node: ast.Call, name: str) -> Expr | None:
    at = frame.at(node.at)
    return frame.fail(FieldDefaultNotConstant(at=at, name=frame.owner, what=f"`{name}(…)`"))


def _nothing_to_call(frame: Frame, node: ast.Call, name: str) -> Expr | None:
    at = frame.at(node.at)
    tables = frame.scope.tables
    operations = frame.aggregate.operations if frame.aggregate is not None else {}
    if frame.scope.names.is_unsupported(name) or (frame.this is not None and frame.this.is_partial):
        return None
    if name in operations:
        return frame.fail(_operation_called(frame, node, name))
    if name in tables.value_objects:
        return frame.fail(LegacyVoCall(at=at, name=name))
    if name in tables.part_owners:
        return frame.fail(LegacyPartCall(at=at, name=name))
    own = frame.this.functions if frame.this is not None else {}
    near = "!" if name == "not" else _size_of(frame, node, name)
    near = near or nearest(name, [*own, *frame.functions, *tables.functions, *tables.predicates, *FORMS, *operations])
    return frame.fail(CallUnknown(at=at, name=name, nearest=near))


def _operation_called(frame: Frame, node: ast.Call | ast.Member, name: str) -> Diagnostic:
    at = frame.at(node.at)
    if frame.body in (Body.CRITERION, Body.CRITERION_OF_QUERY):
        return CriterionImpure(at=at, name=frame.owner, operation=name)
    if frame.body is Body.APPLY:
        return ApplierImpureCall(at=at, name=name)
    return OperationCallInExpression(at=at, name=name)


def _size_of(frame: Frame, node: ast.Call, name: str) -> str:
    """The member that other languages have a function for; empty for any other name."""
    if name not in ("len", "length", "size", "count") or len(node.arguments) != 1:
        return ""
    found = frame.lower(node.arguments[0].value)
    return ".count" if found is not None and isinstance(found.type, ArrayType) else ".length"


def function_call(frame: Frame, node: ast.Call, found: FunctionShape, receiver: Expr | None) -> Expr | None:
    arguments = passed(frame, node, found.name, found.parameters)
    if arguments is None or found.returns is None:
        return None
    return FunctionCall(
        type=found.returns,
        scope=found.scope,
        owner=found.owner,
        name=found.name,
        receiver=receiver,
        arguments=arguments,
    )


def _method(frame: Frame, node: ast.Call, callee: ast.Member) -> Expr | None:
    target = callee.target
    if is_grant(node) and not is_value_name(frame, "currentUser") and not is_value_name(frame, "permissions"):
        return grant(frame, node)
    if (use := service_use(frame, node)) is not None:
        return service_call(frame, use)
    if isinstance(target, ast.Name) and not is_value_name(frame, target.name):
        declared = _declaration_call(frame, node, target, callee.name)
        if declared:
            return None
    receiver = frame.lower(target, None)
    if receiver is None:
        return None
    if isinstance(receiver.type, OptionalType):
        return frame.fail(optional_access(frame, target, callee.at))
    return _on_value(frame, node, callee, receiver)


def _on_value(frame: Frame, node: ast.Call, callee: ast.Member, receiver: Expr) -> Expr | None:
    shape = instance_of(frame.scope.tables, receiver.type)
    if shape is None:
        if frame.body is Body.DEFAULT:
            return _not_constant(frame, node, callee.name)
        return builtin_call(frame, callee, node.arguments, receiver)
    found = shape.functions.get(callee.name)
    if found is not None:
        return function_call(frame, node, found, receiver)
    at = frame.at(callee.at)
    operations = _operations(frame, receiver)
    if callee.name in operations:
        return frame.fail(_operation_called(frame, callee, callee.name))
    if shape.is_partial:
        return None
    near = nearest(callee.name, [*shape.functions, *operations])
    return frame.fail(CallUnknown(at=at, name=callee.name, nearest=near))


def _operations(frame: Frame, receiver: Expr) -> list[str]:
    if not isinstance(receiver.type, AggregateType):
        return []
    found = frame.scope.tables.aggregates.get(receiver.type.ref.name)
    return list(found.operations) if found is not None else []


def _declaration_call(frame: Frame, node: ast.Call, head: ast.Name, method: str) -> bool:
    """Reports a call on the name of a declaration; False when `head` may yet mean a value."""
    at = frame.at(node.at)
    tables = frame.scope.tables
    printed = f"{head.name}.{method}"
    if head.name in tables.repositories:
        _repository_call(frame, node, printed)
    elif head.name in frame.scope.names.resources:
        frame.report(_resource_call(frame, node, printed))
    elif context := frame.scope.names.foreign_repositories.get(head.name):
        frame.report(WorkflowCrossContextRepository(at=at, name=head.name, context=context))
    elif head.name in tables.aggregates and method == "create":
        frame.report(FactoryPosition(at=at, name=head.name))
    elif head.name in tables.enum_values or head.name in PRINCIPAL:
        return False
    elif frame.scope.names.is_unsupported(head.name):
        return True
    elif head.name in frame.scope.names.local:
        kept = next((item.name for item in tables.repositories.values() if item.aggregate == head.name), "")
        frame.report(CallUnknown(at=at, name=printed, nearest=f"{kept}.{method}" if kept else ""))
    else:
        members = frame.this.members if frame.this is not None else {}
        near = nearest(head.name, [*frame.locals, *members, *tables.repositories, *tables.aggregates, *tables.services])
        frame.report(_unbound(frame, frame.at(head.at), head.name, near))
    return True


def _unbound(frame: Frame, at: NodePath, name: str, near: str) -> Diagnostic:
    if frame.looping:
        return WorkflowForeachUnknownBinding(at=at, name=name, nearest=near)
    if frame.body in ENTRIES:
        return WorkflowUnknownBinding(at=at, case="near" if near else "unbound", name=name, nearest=near)
    return MethodCallUnresolvedReceiver(at=at, name=name, nearest=near)


def _resource_call(frame: Frame, node: ast.Call, printed: str) -> Diagnostic:
    at = frame.at(node.at)
    if frame.body is Body.APPLY:
        return ApplierImpureCall(at=at, name=printed)
    is_near = frame.body in (*ENTRIES, Body.AFTER_COMMIT)
    return ResourceOpOutsideWorkflow(
        at=at, case="inline" if is_near else "outside", name=printed, body=frame.body.value
    )


def _repository_call(frame: Frame, node: ast.Call, printed: str) -> None:
    at = frame.at(node.at)
    if frame.body in (*ENTRIES, Body.SERVICE):
        frame.report(WorkflowInlineRepositoryCall(at=at, name=printed))
    elif frame.body is Body.APPLY:
        frame.report(ApplierImpureCall(at=at, name=printed))
    elif frame.body is Body.AFTER_COMMIT:
        frame.report(AfterCommitEffect(at=at, what=f"the call of `{printed}`"))
    elif frame.body is Body.TEST:
        frame.report(AggregateTestContext(at=at, name=printed))
    elif frame.body is Body.CONTEXT_TEST:
        frame.report(IntegrationFindMustBind(at=at, name=printed))
    else:
        hint_text = "read it in a workflow and pass the value"
        statement = f"the repository call `{printed}`"
        body = frame.body.value
        frame.report(StatementNotAllowed(at=at, statement=statement, body=body, hint=hint_text))
