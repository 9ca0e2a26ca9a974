"""Statements of workflow bodies: loads, factories, calls of operations, and what else a workflow may say.

In: statements as written and the frame of a create. Out: resolved statements.
Never: mutation of anything but through operations; saving is for whoever runs the body.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from loom.base import nearest
from loom.ir import statements as ir
from loom.ir.types import NOTHING, AggregateType, OptionalType, Type
from loom.lower.bodies.conditions import author_message, condition, source_of
from loom.lower.bodies.emits import emit
from loom.lower.bodies.factories import create_instance, factory_target
from loom.lower.bodies.flow import reachable
from loom.lower.bodies.invocations import OperationCall, invocation
from loom.lower.bodies.reads import DELETES, SAVES, RepositoryCall, check_known, read, repository_call
from loom.lower.bodies.statements import (
    Lowered,
    branch,
    free_name,
    let_value,
    precondition,
    report_idle,
    statement_name,
)
from loom.lower.expressions.defaults import hint
from loom.lower.expressions.names import optional_access
from loom.lower.problems.expressions import CallArgCount
from loom.lower.problems.members import IfletBadSource
from loom.lower.problems.workflows import (
    FactoryPosition,
    NotFoundDetail,
    WorkflowCreateUnknownAggregate,
    WorkflowExplicitSave,
    WorkflowForeachSource,
    WorkflowLoadArrayUnsupported,
    WorkflowLoadNullableUnsupported,
    WorkflowMutationUnsaved,
    WorkflowPrivateOperation,
    WorkflowReturnType,
    WorkflowReturnUntyped,
    WorkflowUncorrelatedStateWrite,
    WorkflowUnknownBinding,
    WorkflowUnknownOperation,
    WorkflowUnrecognisedStatement,
)
from loom.lower.scope.frames import Frame, Origin
from loom.lower.scope.relations import fitted, show
from loom.parse import ast

_MANY = (ir.Cardinality.MANY, ir.Cardinality.PAGE)


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
        return _let(frame, node)
    if isinstance(node, ast.Evaluate):
        return _evaluate(frame, node)
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


# Bindings


def _let(frame: Frame, node: ast.Let) -> Lowered:
    is_free = free_name(frame, node.at, node.name)
    statement, type_, origin = _bound(frame, node)
    return (statement if is_free else None), frame.bind(node.name, type_, origin)


Bound = tuple[ir.Statement | None, Type | None, Origin]


def _bound(frame: Frame, node: ast.Let) -> Bound:
    value = node.value
    if (shape := factory_target(frame, value)) is not None and isinstance(value, ast.Call):
        made = create_instance(frame, value, shape, node.name)
        return made, AggregateType(ref=shape.ref), Origin.CREATED
    if _is_unknown_factory(frame, value):
        return None, None, Origin.CREATED
    if (call := repository_call(frame, value)) is not None:
        return _load(frame, node, call)
    if (called := _operation_on_local(frame, value)) is not None:
        return _bound_call(frame, node, called)
    if _is_broken_call(frame, value):
        return None, None, Origin.LET
    plain = let_value(frame, node)
    if plain is None:
        return None, None, Origin.LET
    return ir.Let(name=node.name, value=plain), plain.type, Origin.LET


def _is_unknown_factory(frame: Frame, node: ast.Expression) -> bool:
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=head, at=at), name="create"), arguments=given):
            if head in frame.locals:
                return False
            if not frame.scope.names.is_unsupported(head):
                near = nearest(head, frame.scope.tables.aggregates)
                frame.report(WorkflowCreateUnknownAggregate(at=frame.at(at), name=head, nearest=near))
            for argument in given:
                if not isinstance(argument.value, ast.ObjectLiteral):
                    frame.lower(argument.value, None)
            return True
        case _:
            return False


def _load(frame: Frame, node: ast.Let, call: RepositoryCall) -> Bound:
    found = read(frame, call)
    if found is None:
        return None, None, Origin.LOADED
    at = frame.at(call.node.at)
    aggregate = AggregateType(ref=found.aggregate)
    if found.cardinality in _MANY:
        frame.report(WorkflowLoadArrayUnsupported(at=at, name=call.printed))
        return None, None, Origin.LOADED
    if found.cardinality is ir.Cardinality.ONE:
        return ir.Load(name=node.name, read=found), aggregate, Origin.LOADED
    if found.kind is not ir.ReadKind.FIND:
        frame.report(WorkflowLoadNullableUnsupported(at=at, name=call.printed))
        return None, None, Origin.LOADED
    return ir.Load(name=node.name, read=found), OptionalType(of=aggregate), Origin.LOADED


def _bound_call(frame: Frame, node: ast.Let, called: OperationCall) -> Bound:
    operation = called.operation
    invoked = invocation(frame, called, node.name)
    type_ = operation.returns if operation.returns != NOTHING else None
    if operation.mutates:
        at = frame.at(called.node.at)
        frame.report(WorkflowMutationUnsaved(at=at, case="bound", name=operation.name))
        return None, type_, Origin.LET
    if operation.returns == NOTHING:
        report = WorkflowUnrecognisedStatement(
            at=frame.at(node.at), statement=f"a binding of `{operation.name}`, which answers nothing,", hint=""
        )
        frame.report(report)
        return None, None, Origin.LET
    return invoked, type_, Origin.LET


# Calls


def _operation_on_local(frame: Frame, node: ast.Expression) -> OperationCall | None:
    """A call of a public operation on a local aggregate; misuse of one that is there is reported."""
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=receiver), name=method)) if receiver in frame.locals:
            binding = frame.locals[receiver]
        case _:
            return None
    if not isinstance(binding.type, AggregateType):
        return None
    shape = frame.scope.tables.aggregates.get(binding.type.ref.name)
    operation = shape.operations.get(method) if shape is not None else None
    if shape is None or operation is None or operation.private:
        return None
    frame.read.add(receiver)
    if binding.origin is Origin.DELETED:
        frame.report(WorkflowMutationUnsaved(at=frame.at(node.at), case="deleted", name=receiver))
    return OperationCall(node, receiver, shape.ref, operation)


def _is_broken_call(frame: Frame, node: ast.Expression) -> bool:
    """Reports a method call on a local that can only have meant an operation."""
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=receiver) as head, name=method, at=at)):
            binding = frame.locals.get(receiver)
        case _:
            return False
    if binding is None:
        return False
    frame.read.add(receiver)
    if isinstance(binding.type, OptionalType) and isinstance(binding.type.of, AggregateType):
        frame.report(optional_access(frame, head, at))
        return True
    if not isinstance(binding.type, AggregateType):
        return binding.type is None
    shape = frame.scope.tables.aggregates[binding.type.ref.name]
    if method in shape.operations:
        frame.report(WorkflowPrivateOperation(at=frame.at(at), aggregate=shape.instance.name, name=method))
    elif method in shape.instance.functions:
        return False
    else:
        near = nearest(method, [*shape.operations, *shape.instance.functions])
        name = shape.instance.name
        problem = WorkflowUnknownOperation(at=frame.at(at), aggregate=name, name=method, nearest=near)
        frame.report(problem)
    for argument in node.arguments:
        frame.lower(argument.value, None)
    return True


def _evaluate(frame: Frame, node: ast.Evaluate) -> Lowered:
    value = node.value
    if (shape := factory_target(frame, value)) is not None and isinstance(value, ast.Call):
        create_instance(frame, value, shape, "")
        frame.report(FactoryPosition(at=frame.at(node.at), name=shape.instance.name))
        return None, frame
    if _is_unknown_factory(frame, value):
        return None, frame
    if (call := repository_call(frame, value)) is not None:
        return _repository_statement(frame, call)
    if (called := _operation_on_local(frame, value)) is not None:
        return invocation(frame, called, ""), frame
    if not _is_broken_call(frame, value) and not _is_unbound_call(frame, value):
        report_idle(frame, node)
    return None, frame


def _is_unbound_call(frame: Frame, node: ast.Expression) -> bool:
    """A method called on a name that is bound to something else than an aggregate."""
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=receiver, at=at))) if receiver in frame.locals:
            frame.report(WorkflowUnknownBinding(at=frame.at(at), name=receiver))
            return True
        case _:
            return False


def _repository_statement(frame: Frame, call: RepositoryCall) -> Lowered:
    at = frame.at(call.node.at)
    if check_known(frame, call) is None:
        return None, frame
    if call.method in SAVES:
        frame.report(WorkflowExplicitSave(at=at, name=call.printed))
        return None, frame
    if call.method in DELETES:
        return _delete(frame, call)
    found = read(frame, call)
    if found is not None:
        statement = f"the read `{call.printed}`, whose answer nobody keeps,"
        frame.report(WorkflowUnrecognisedStatement(at=at, statement=statement, hint="bind it with `let`"))
    return None, frame


def _delete(frame: Frame, call: RepositoryCall) -> Lowered:
    given = call.node.arguments
    if len(given) != 1:
        problem = CallArgCount(
            at=frame.at(call.node.at),
            name=call.printed,
            expected="one argument",
            found=len(given),
            parameters="a loaded aggregate",
        )
        frame.report(problem)
        return None, frame
    written = given[0].value
    name = written.name if isinstance(written, ast.Name) else ""
    binding = frame.locals.get(name)
    if binding is None or not isinstance(binding.type, AggregateType) or call.shape is None:
        if binding is None or binding.type is not None:
            frame.report(WorkflowUnknownBinding(at=frame.at(written.at), name=name or "this value"))
        return None, frame
    frame.read.add(name)
    if binding.type.ref.name != call.shape.aggregate:
        frame.report(WorkflowUnknownBinding(at=frame.at(written.at), name=name))
        return None, frame
    deleted = ir.Delete(name=name, aggregate=binding.type.ref)
    return deleted, frame.bind(name, binding.type, Origin.DELETED)


# Branches, loops, ends


def _loop(frame: Frame, node: ast.For) -> ir.Statement | None:
    call = repository_call(frame, node.source)
    found = read(frame, call) if call is not None else None
    if call is None:
        frame.lower(node.source, None)
        frame.report(WorkflowForeachSource(at=frame.at(node.source.at)))
    elif found is not None and found.cardinality is not ir.Cardinality.MANY:
        frame.report(WorkflowForeachSource(at=frame.at(node.source.at)))
        found = None
    type_ = AggregateType(ref=found.aggregate) if found is not None else None
    if not free_name(frame, node.at, node.name):
        return None
    body = workflow_block(frame.bind(node.name, type_, Origin.LOOP), node.body)
    return None if found is None else ir.ForEach(name=node.name, source=None, read=found, body=body)


def _if_let(frame: Frame, node: ast.IfLet) -> ir.Statement | None:
    call = repository_call(frame, node.source)
    if call is None:
        return _if_let_binding(frame, node)
    found = read(frame, call)
    if found is not None and found.cardinality is not ir.Cardinality.OPTIONAL:
        at = frame.at(node.source.at)
        bad = f"`{call.printed}`"
        frame.report(IfletBadSource(at=at, found=bad, hint="use `findById`, `findBy` or a find that answers `T?`"))
        found = None
    type_ = AggregateType(ref=found.aggregate) if found is not None else None
    then, otherwise, is_free = _branches(frame, node, type_)
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
