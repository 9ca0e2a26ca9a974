"""Workflows: their creates, helpers and rules.

In: a workflow's declaration and the frame of its context. Out: the IR workflow.
Never: state: a workflow that keeps some is named as not understood yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from loom.base import Diagnostic, Severity, nearest
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.expressions import FunctionScope
from loom.ir.types import (
    NOTHING,
    AggregateType,
    ArrayType,
    EnumType,
    EventType,
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
from loom.lower.declarations.members import functions, parameters, with_parameters
from loom.lower.mentions import mentioned
from loom.lower.problems.expressions import (
    CallArgCount,
    CallArgType,
    CallNamedArg,
    ConstructionFieldType,
    ConstructionMissingField,
)
from loom.lower.problems.names import DuplicateFunction
from loom.lower.problems.repositories import WorkflowCreateArgs, WorkflowCreateMissingField
from loom.lower.problems.workflows import (
    CanonicalCreateDuplicateWorkflow,
    CreateNameConflictWorkflow,
    IsolationUnknown,
    RecordPosition,
    TransactionalNoEffect,
    WorkflowCommandless,
    WorkflowEmitMissingField,
    WorkflowParamUnused,
    WorkflowResultType,
    WorkflowReturnMissing,
    WorkflowUnknownName,
)
from loom.lower.scope.frames import Binding, Body, Frame, Origin
from loom.lower.scope.members import functions as function_shapes
from loom.lower.scope.members import parameters as parameter_shapes
from loom.lower.scope.relations import show
from loom.lower.scope.shapes import ParameterShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast


def workflow(frame: Frame, declared: ast.Workflow) -> ir.Workflow:
    source = frame.scope.source
    source.declare(declared.at, declared.name)
    for item in declared.unsupported:
        source.unsupported(item.at, item.feature)
    types = TypeScope(frame.scope.names, source)
    owner = Ref(context=frame.scope.names.context, name=declared.name)
    helpers = function_shapes(declared.members, types, FunctionScope.WORKFLOW, owner)
    state = _state(frame, declared, types)
    inner = replace(
        frame,
        body=Body.WORKFLOW,
        helpers=helpers,
        owner=declared.name,
        locals=state,
        state=frozenset(state),
    )
    _check_helper_names(inner, declared)
    before = len(source.problems)
    creates = tuple(_creates(inner, declared, types))
    found = source.problems[before:]
    made = ir.Workflow(
        name=declared.name,
        transactional=declared.isolation is not None,
        isolation=_isolation(frame, declared),
        functions=functions(inner.within(Body.WORKFLOW_FUNCTION), declared.members, dict(helpers)),
        creates=creates,
    )
    _check_effect(frame, declared, made, found)
    return made


def _state(frame: Frame, declared: ast.Workflow, types: TypeScope) -> dict[str, Binding]:
    """State fields, which only say something together with a key among them."""
    fields = [item for item in declared.members if isinstance(item, ast.Property)]
    keyed = any(item.type.is_id for item in fields)
    for item in fields:
        types.resolve(item.type, Position.FIELD)
        frame.scope.source.unsupported(item.at, "state of a workflow")
    origin = Origin.LET if keyed else Origin.STATE
    return {item.name: Binding(None, origin) for item in fields}


def _check_helper_names(frame: Frame, declared: ast.Workflow) -> None:
    seen: set[str] = set()
    for item in declared.members:
        if isinstance(item, ast.Unsupported):
            frame.scope.source.unsupported(item.at, item.feature)
        if isinstance(item, ast.Function):
            frame.scope.source.declare(item.at, declared.name, item.name)
            if item.name in seen:
                frame.report(DuplicateFunction(at=frame.at(item.at), name=item.name))
            seen.add(item.name)


def _isolation(frame: Frame, declared: ast.Workflow) -> ir.Isolation | None:
    if not declared.isolation:
        return None
    known = {item.value: item for item in ir.Isolation}
    if declared.isolation not in known:
        near = nearest(declared.isolation, known)
        frame.report(IsolationUnknown(at=frame.at(declared.at), name=declared.isolation, nearest=near))
    return known.get(declared.isolation)


def _creates(frame: Frame, declared: ast.Workflow, types: TypeScope) -> Iterator[ir.WorkflowCreate]:
    seen: set[str] = set()
    found = [item for item in declared.members if isinstance(item, ast.WorkflowCreate)]
    if not any(isinstance(item, ast.WorkflowCreate | ast.Unsupported) for item in declared.members):
        frame.report(WorkflowCommandless(at=frame.at(declared.at), name=declared.name))
    for item in found:
        frame.scope.source.declare(item.at, declared.name, item.name or "create")
        for written in item.parameters:
            frame.scope.source.declare(written.at, declared.name, item.name or "create", written.name)
        given = parameter_shapes(item.parameters, types, Position.WORKFLOW_PARAMETER)
        if any(isinstance(parameter.type, EventType) for parameter in given):
            frame.scope.source.unsupported(item.at, "a workflow started by an event")
            continue
        if item.name in seen:
            _report_doubled(frame, declared, item)
        seen.add(item.name)
        yield _create(frame, declared, item, given, types)


def _report_doubled(frame: Frame, declared: ast.Workflow, item: ast.WorkflowCreate) -> None:
    at = frame.at(item.at)
    if item.name:
        frame.report(CreateNameConflictWorkflow(at=at, workflow=declared.name, name=item.name))
    else:
        frame.report(CanonicalCreateDuplicateWorkflow(at=at, workflow=declared.name))


def _create(
    frame: Frame,
    declared: ast.Workflow,
    create: ast.WorkflowCreate,
    given: tuple[ParameterShape, ...],
    types: TypeScope,
) -> ir.WorkflowCreate:
    if create.by is not None:
        frame.scope.source.unsupported(create.by.at, "`by`")
    returns = _result(frame, create, types)
    inner = replace(
        with_parameters(frame, given),
        owner=create.name or declared.name,
        read=set(),
        returns=returns,
    )
    made_parameters = parameters(frame, given)
    before = len(frame.scope.source.problems)
    gated, rest = gates(inner, create.requires, create.body)
    body = workflow_block(inner, rest)
    if returns not in (NOTHING, None) and not always_ends(create.body, frame.scope.total):
        frame.report(WorkflowReturnMissing(at=frame.at(create.at), name=inner.owner))
    if create.body:
        found = frame.scope.source.problems[before:]
        _report_unused(frame, create, _meant(create, found) if found else inner.read)
    return ir.WorkflowCreate(
        name=create.name,
        parameters=made_parameters,
        record=_record(frame, create, given),
        returns=returns or NOTHING,
        requires=gated,
        body=body,
    )


def entry(frame: Frame, written: ast.WorkflowCreate, *, is_extern: bool) -> ir.WorkflowCreate:
    """What a handler is, as a create would be; of an extern one only the head is looked at."""
    types = TypeScope(frame.scope.names, frame.scope.source)
    given = parameter_shapes(written.parameters, types, Position.WORKFLOW_PARAMETER)
    inner = replace(frame, body=Body.HANDLER, owner=written.name)
    if not is_extern:
        around = ast.Workflow(written.at, written.name, None, (written,))
        return _create(inner, around, written, given, types)
    return ir.WorkflowCreate(
        name=written.name,
        parameters=parameters(inner, given),
        record=_record(inner, written, given),
        returns=_result(inner, written, types) or NOTHING,
        requires=(),
        body=(),
    )


def _record(frame: Frame, create: ast.WorkflowCreate, given: tuple[ParameterShape, ...]) -> Ref | None:
    for written, parameter in zip(create.parameters, given, strict=False):
        if isinstance(parameter.type, RecordType):
            if len(given) > 1:
                frame.report(RecordPosition(at=frame.at(written.at), name=parameter.name))
            return parameter.type.ref
    return None


def _result(frame: Frame, create: ast.WorkflowCreate, types: TypeScope) -> Type | None:
    if create.returns is None:
        return NOTHING
    is_handler = frame.body is Body.HANDLER
    found = types.resolve(create.returns, Position.HANDLER_RESULT if is_handler else Position.WORKFLOW_RESULT)
    if found is None or _can_be_sent(found) or (is_handler and _is_answer(found)):
        return found
    frame.report(WorkflowResultType(at=frame.at(create.returns.at), found=show(found)))
    return None


def _can_be_sent(type_: Type) -> bool:
    if isinstance(type_, Scalar):
        return type_.kind is not ScalarKind.JSON
    return isinstance(type_, EnumType | IdType | ValueObjectType | AggregateType | RecordType)


def _is_answer(type_: Type) -> bool:
    """What only a handler answers: unions, and many of what one is sent as."""
    match type_:
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


def _check_effect(frame: Frame, declared: ast.Workflow, made: ir.Workflow, found: Iterable[Diagnostic]) -> None:
    """Nothing is said of a workflow with an error: the statement that has it may be the one with an effect."""
    is_whole = not any(problem.severity is Severity.ERROR for problem in found)
    is_whole &= not any(isinstance(item, ast.Unsupported) for item in declared.members)
    is_idle = made.creates and not any(_has_effect(item.body) for item in made.creates)
    if made.transactional and is_whole and is_idle:
        frame.report(TransactionalNoEffect(at=frame.at(declared.at), name=declared.name))


def _has_effect(body: Iterable[st.Statement]) -> bool:
    for statement in body:
        match statement:
            case st.CreateInstance() | st.Delete() | st.Emit():
                return True
            case st.Invoke(mutates=True):
                return True
            case st.If(then=then, otherwise=rest) | st.IfLet(then=then, otherwise=rest):
                if _has_effect(then) or _has_effect(rest):
                    return True
            case st.ForEach(body=inner):
                if _has_effect(inner):
                    return True
    return False
