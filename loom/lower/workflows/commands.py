"""What callers ask of a workflow, or of a handler: parameters, gates, body and answer.

In: creates that a command starts, and the frame of their workflow. Out: IR creates.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loom.base import Diagnostic, nearest
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.members import Gate
from loom.ir.types import (
    NOTHING,
    AggregateType,
    ArrayType,
    EnumType,
    IdType,
    PageType,
    RecordType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    UnionType,
    ValueObjectType,
)
from loom.lower.bodies.conditions import gates
from loom.lower.bodies.flow import always_ends
from loom.lower.bodies.workflow import workflow_block
from loom.lower.declarations.members import parameters, with_parameters
from loom.lower.mentions import mentioned
from loom.lower.problems.correlation import CorrelationUninferrable
from loom.lower.problems.expressions import (
    CallArgCount,
    CallArgType,
    CallNamedArg,
    ConstructionFieldType,
    ConstructionMissingField,
)
from loom.lower.problems.repositories import WorkflowCreateArgs, WorkflowCreateMissingField
from loom.lower.problems.workflows import (
    CanonicalCreateDuplicateWorkflow,
    CreateNameConflictWorkflow,
    RecordPosition,
    WorkflowEmitMissingField,
    WorkflowParamUnused,
    WorkflowResultType,
    WorkflowReturnMissing,
    WorkflowUnknownName,
)
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.relations import show
from loom.lower.scope.shapes import ParameterShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.lower.workflows.state import State, command_key
from loom.parse import ast

STATELESS = State(None, None)


def creates(frame: Frame, declared: ast.Workflow, types: TypeScope, state: State) -> tuple[ir.WorkflowCreate, ...]:
    """Those that a command starts; names are compared among all."""
    seen: set[str] = set()
    made = []
    for item in declared.members:
        if not isinstance(item, ast.WorkflowCreate):
            continue
        shape = frame.scope.tables.commands.by_place[item.at]
        declare_entry(frame, declared.name, item)
        if item.name in seen:
            _report_doubled(frame, declared, item)
        if item.name or not shape.is_started:
            seen.add(item.name)
        if not shape.is_started:
            made.append(command(frame, item, shape.parameters, types, state))
    return tuple(made)


def declare_entry(frame: Frame, workflow: str, item: ast.WorkflowCreate) -> None:
    source = frame.scope.source
    source.declare(item.at, workflow, item.name or "create")
    for written in item.parameters:
        source.declare(written.at, workflow, item.name or "create", written.name)


def _report_doubled(frame: Frame, declared: ast.Workflow, item: ast.WorkflowCreate) -> None:
    at = frame.at(item.at)
    if item.name:
        frame.report(CreateNameConflictWorkflow(at=at, workflow=declared.name, name=item.name))
    elif not frame.scope.tables.commands.by_place[item.at].is_started:
        frame.report(CanonicalCreateDuplicateWorkflow(at=at, workflow=declared.name))


def command(
    frame: Frame, create: ast.WorkflowCreate, given: tuple[ParameterShape, ...], types: TypeScope, state: State
) -> ir.WorkflowCreate:
    returns = result(frame, create, types)
    inner = replace(
        with_parameters(frame, given),
        owner=create.name or frame.owner,
        read=set(),
        returns=returns,
    )
    made_parameters = parameters(frame, given)
    key, is_doubtful = command_key(inner, create, given, state)
    inner = replace(inner, keyless=key is None and not is_doubtful)
    if is_doubtful:
        inner.read.update(item.name for item in given)
    if inner.keyless and inner.folded is not None and state.key is not None:
        source, name = inner.owner, state.key.name
        frame.report(CorrelationUninferrable(at=frame.at(create.at), case="create", source=source, key=name))
    gated, body = _body(inner, create)
    return ir.WorkflowCreate(
        name=create.name,
        parameters=made_parameters,
        record=record(frame, create, given),
        returns=returns or NOTHING,
        requires=gated,
        body=body,
        key=key,
    )


def _body(frame: Frame, create: ast.WorkflowCreate) -> tuple[tuple[Gate, ...], tuple[st.Statement, ...]]:
    before = len(frame.scope.source.problems)
    gated, rest = gates(frame, create.requires, create.body)
    body = workflow_block(frame, rest)
    if frame.returns not in (NOTHING, None) and not always_ends(create.body, frame.scope.total):
        frame.report(WorkflowReturnMissing(at=frame.at(create.at), name=frame.owner))
    if create.body:
        found = frame.scope.source.problems[before:]
        _report_unused(frame, create, _meant(create, found) | frame.read if found else frame.read)
    return gated, body


def record(frame: Frame, create: ast.WorkflowCreate, given: tuple[ParameterShape, ...]) -> Ref | None:
    for written, parameter in zip(create.parameters, given, strict=False):
        if isinstance(parameter.type, RecordType):
            if len(given) > 1:
                frame.report(RecordPosition(at=frame.at(written.at), name=parameter.name))
            return parameter.type.ref
    return None


def result(frame: Frame, create: ast.WorkflowCreate, types: TypeScope) -> Type | None:
    if create.returns is None:
        return NOTHING
    is_handler = frame.body is Body.HANDLER
    found = types.resolve(create.returns, Position.HANDLER_RESULT if is_handler else Position.WORKFLOW_RESULT)
    if found is None or _can_be_sent(found) or (is_handler and _is_answer(found)):
        return found
    frame.report(WorkflowResultType(at=frame.at(create.returns.at), body=frame.body.value, found=show(found)))
    return None


def _can_be_sent(type_: Type) -> bool:
    if isinstance(type_, Scalar):
        return type_.kind is not ScalarKind.JSON
    return isinstance(type_, EnumType | IdType | ValueObjectType | AggregateType | RecordType)


def _is_answer(type_: Type) -> bool:
    """What only a handler answers: any JSON, unions, and many of what one is sent as."""
    match type_:
        case Scalar():
            return True
        case ArrayType(of=inner) | PageType(of=inner):
            return _can_be_sent(inner)
        case _:
            return isinstance(type_, UnionType)


def _report_unused(frame: Frame, create: ast.WorkflowCreate, read: set[str]) -> None:
    for item in create.parameters:
        if item.name not in read:
            frame.report(WorkflowParamUnused(at=frame.at(item.at), name=item.name))


def _meant(create: ast.WorkflowCreate, found: Iterable[Diagnostic]) -> set[str]:
    """The parameters that a broken body may want to read: named, nearly named, or all where it shows none in place."""
    given = {item.name for item in create.parameters}
    names = mentioned((create.requires, create.body))
    if names is None or any(map(_lacks_a_value, found)):
        return given
    return {name if name in given else nearest(name, given) for name in names}


def _lacks_a_value(problem: Diagnostic) -> bool:
    """Where the right value is missing, any parameter may be it."""
    if isinstance(problem, WorkflowUnknownName):
        return not problem.nearest
    return isinstance(problem, _WITHOUT_A_VALUE)


_WITHOUT_A_VALUE = (
    CallArgCount,
    CallArgType,
    CallNamedArg,
    ConstructionFieldType,
    ConstructionMissingField,
    WorkflowCreateArgs,
    WorkflowCreateMissingField,
    WorkflowEmitMissingField,
)
