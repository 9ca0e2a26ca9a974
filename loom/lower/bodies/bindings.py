"""What a workflow binds and calls: loads, factories, operations, deletes.

In: a `let` or a call as written. Out: a resolved statement, and the frame that knows the new name.
Never: an operation inside an expression; expressions report those.
"""

from __future__ import annotations

from typing import Literal

from loom.base import nearest
from loom.ir import statements as ir
from loom.ir.types import INT, NOTHING, AggregateType, ArrayType, OptionalType, PageType, Type
from loom.lower.bodies.blocks import Lowered, free_name, let_value, report_idle
from loom.lower.bodies.factories import create_instance, factory_target
from loom.lower.bodies.invocations import OperationCall, invocation
from loom.lower.bodies.queries import GIVES
from loom.lower.bodies.reads import DELETES, SAVES, RepositoryCall, answered, check_known, read, repository_call
from loom.lower.bodies.resources import resource_call, use_resource
from loom.lower.bodies.services import bound_service, service_statement
from loom.lower.expressions.names import optional_access
from loom.lower.expressions.sensitivity import NONE, tags_of
from loom.lower.expressions.services import service_use
from loom.lower.problems.expressions import CallArgCount
from loom.lower.problems.repositories import (
    FactoryPosition,
    WorkflowCreateUnknownAggregate,
    WorkflowExplicitSave,
    WorkflowLoadArrayUnsupported,
    WorkflowLoadNullableUnsupported,
    WorkflowMutationUnsaved,
)
from loom.lower.problems.workflows import (
    WorkflowPrivateOperation,
    WorkflowUnknownBinding,
    WorkflowUnknownOperation,
    WorkflowUnrecognisedStatement,
)
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.shapes import AggregateShape
from loom.parse import ast

_MANY = (ir.Cardinality.MANY, ir.Cardinality.PAGE)


def let(frame: Frame, node: ast.Let) -> Lowered:
    is_free = free_name(frame, node.at, node.name)
    statement, type_, origin = _bound(frame, node)
    tags = tags_of(frame, statement.value) if isinstance(statement, ir.Let) else NONE
    return (statement if is_free else None), frame.bind(node.name, type_, origin, tags)


Bound = tuple[ir.Statement | None, Type | None, Origin]


def _bound(frame: Frame, node: ast.Let) -> Bound:
    value = node.value
    if (shape := factory_target(frame, value)) is not None and isinstance(value, ast.Call):
        made = create_instance(frame, value, shape, node.name)
        return made, AggregateType(ref=shape.ref), Origin.CREATED
    if (use := service_use(frame, value)) is not None:
        return *bound_service(frame, use, node.name), Origin.LET
    if (resource := resource_call(frame, value)) is not None:
        return *use_resource(frame, resource, node.name), Origin.LET
    if _is_unknown_factory(frame, value):
        return None, None, Origin.CREATED
    if (call := repository_call(frame, value)) is not None:
        return _load(frame, node, call)
    if (called := _operation_on_local(frame, value)) is not None:
        return _bound_call(frame, node, called)
    if _is_broken_call(frame, value):
        return None, None, Origin.LET
    return _bound_value(frame, node)


def _bound_value(frame: Frame, node: ast.Let) -> Bound:
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
    answer = answered(frame, call)
    if answer is None:
        return None, None, Origin.LOADED
    at = frame.at(call.node.at)
    aggregate, gives = answer
    if gives in _MANY and frame.body is Body.HANDLER:  # it may answer all of them
        whole = PageType(of=aggregate) if gives is ir.Cardinality.PAGE else ArrayType(of=aggregate)
        return _loaded(node, found), whole, Origin.LOADED
    if call.method == "count" and not _is_declared(call):
        return _loaded(node, found), INT, Origin.LET
    if gives is ir.Cardinality.MANY and call.method in GIVES and not _is_declared(call):
        return _loaded(node, found), ArrayType(of=aggregate), Origin.LOADED
    if gives in _MANY:
        case: Literal["many", "page"] = "page" if gives is ir.Cardinality.PAGE else "many"
        frame.report(WorkflowLoadArrayUnsupported(at=at, case=case, name=call.printed))
        return None, None, Origin.LOADED
    if gives is ir.Cardinality.ONE:
        return _loaded(node, found), aggregate, Origin.LOADED
    if call.method in ("findById", "findBy", "find"):
        frame.report(WorkflowLoadNullableUnsupported(at=at, name=call.printed))
        return None, None, Origin.LOADED
    return _loaded(node, found), OptionalType(of=aggregate), Origin.LOADED


def _is_declared(call: RepositoryCall) -> bool:
    return call.shape is not None and call.method in call.shape.finds


def _loaded(node: ast.Let, found: ir.Read | None) -> ir.Load | None:
    return ir.Load(name=node.name, read=found) if found is not None else None


def _bound_call(frame: Frame, node: ast.Let, called: OperationCall) -> Bound:
    operation = called.operation
    invoked = invocation(frame, called, node.name)
    type_ = operation.returns if operation.returns != NOTHING else None
    if operation.mutates and frame.body is not Body.SERVICE:
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
    if binding.origin is Origin.LOADED and operation.mutates and frame.body is Body.SERVICE:
        frame.report(WorkflowMutationUnsaved(at=frame.at(node.at), case="service", name=receiver))
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
    if method in shape.instance.functions:
        return False
    _report_operation(frame, at, shape, method)
    for argument in node.arguments:
        frame.lower(argument.value, None)
    return True


def _report_operation(frame: Frame, at: int, shape: AggregateShape, method: str) -> None:
    place, name = frame.at(at), shape.instance.name
    if method in shape.operations:
        frame.report(WorkflowPrivateOperation(at=place, aggregate=name, name=method))
    elif not shape.instance.is_partial:
        near = nearest(method, [*shape.operations, *shape.instance.functions])
        frame.report(WorkflowUnknownOperation(at=place, aggregate=name, name=method, nearest=near))


def evaluate(frame: Frame, node: ast.Evaluate) -> Lowered:
    value = node.value
    if (shape := factory_target(frame, value)) is not None and isinstance(value, ast.Call):
        create_instance(frame, value, shape, "")
        frame.report(FactoryPosition(at=frame.at(node.at), name=shape.instance.name))
        return None, frame
    if (use := service_use(frame, value)) is not None:
        return service_statement(frame, use), frame
    if (resource := resource_call(frame, value)) is not None:
        return use_resource(frame, resource, "")[0], frame
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
            frame.report(WorkflowUnknownBinding(at=frame.at(at), case="bound", name=receiver))
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
            case="some",
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
            frame.report(WorkflowUnknownBinding(at=frame.at(written.at), case="bound", name=name or "this value"))
        return None, frame
    frame.read.add(name)
    if binding.type.ref.name != call.shape.aggregate:
        frame.report(WorkflowUnknownBinding(at=frame.at(written.at), case="bound", name=name))
        return None, frame
    deleted = ir.Delete(name=name, aggregate=binding.type.ref)
    return deleted, frame.bind(name, binding.type, Origin.DELETED)
