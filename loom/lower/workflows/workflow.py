"""Workflows: what belongs to one as a whole.

In: a workflow's declaration and the frame of its context. Out: the IR workflow.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loom.base import Diagnostic, Feature, Severity, nearest
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.expressions import FunctionScope
from loom.ir.members import Gate
from loom.ir.types import Ref
from loom.lower.bodies.conditions import caller_gate
from loom.lower.bodies.nested import every_statement
from loom.lower.declarations.appliers import OF_WORKFLOWS, appliers, check_misplaced, folded
from loom.lower.declarations.members import functions, properties
from loom.lower.problems.correlation import (
    IsolationRequiresTransactional,
    TransactionalWithContinuations,
    WorkflowGateNotCurrentUser,
)
from loom.lower.problems.names import DuplicateFunction
from loom.lower.problems.workflows import IsolationUnknown, TransactionalNoEffect, WorkflowCommandless
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.members import functions as function_shapes
from loom.lower.scope.typerefs import TypeScope
from loom.lower.workflows.commands import creates
from loom.lower.workflows.reactions import reactors, starters
from loom.lower.workflows.state import State, state_of
from loom.parse import ast


def workflow(frame: Frame, declared: ast.Workflow) -> ir.Workflow:
    source = frame.scope.source
    source.declare(declared.at, declared.name)
    types = TypeScope(frame.scope.names, source)
    owner = Ref(context=frame.scope.names.context, name=declared.name)
    shapes = function_shapes(declared.members, types, FunctionScope.WORKFLOW, owner)
    state = state_of(frame, declared, types)
    inner = replace(frame, body=Body.WORKFLOW, functions=shapes, owner=declared.name, this=state.shape)
    _check_members(inner, declared)
    _check_head(frame, declared)
    inner = replace(inner, transactional=declared.isolation is not None)
    if declared.event_sourced is not None:
        inner = replace(inner, folded=folded(declared.members))
    before = len(source.problems)
    made = ir.Workflow(
        name=declared.name,
        transactional=declared.isolation is not None,
        isolation=_isolation(frame, declared),
        functions=functions(inner.within(Body.WORKFLOW_FUNCTION), declared.members, dict(shapes)),
        creates=creates(inner, declared, types, state),
        state=_properties(inner, declared, state),
        key=state.key.name if state.key is not None else "",
        requires=_instance_gate(inner, declared),
        starters=starters(inner, declared, state),
        reactors=reactors(inner, declared, state),
        event_sourced=declared.event_sourced is not None,
        appliers=_appliers(inner, declared),
    )
    _check_effect(frame, declared, made, source.problems[before:])
    return made


def _properties(frame: Frame, declared: ast.Workflow, state: State) -> tuple[ir.Property, ...]:
    if state.shape is None:
        return ()
    return properties(frame.within(Body.PURE), declared.members, state.shape)


def _appliers(frame: Frame, declared: ast.Workflow) -> tuple[ir.Applier, ...]:
    if declared.event_sourced is None:
        check_misplaced(frame, declared.name, declared.members, OF_WORKFLOWS)
        return ()
    return appliers(frame, declared.name, declared.members, OF_WORKFLOWS)


def _instance_gate(frame: Frame, declared: ast.Workflow) -> tuple[Gate, ...]:
    """It runs before any instance is read."""
    if declared.requires is not None:
        frame.scope.source.use(declared.requires.at, Feature.INSTANCE_GATES)
    return caller_gate(frame, declared.requires, declared.name, WorkflowGateNotCurrentUser)


def _check_members(frame: Frame, declared: ast.Workflow) -> None:
    seen: set[str] = set()
    for item in declared.members:
        if isinstance(item, ast.Unsupported):
            frame.scope.source.unsupported(item.at, item.feature)
        if isinstance(item, ast.Function):
            frame.scope.source.declare(item.at, declared.name, item.name)
            if item.name in seen:
                frame.report(DuplicateFunction(at=frame.at(item.at), name=item.name))
            seen.add(item.name)
    if not any(isinstance(item, ast.WorkflowCreate | ast.Unsupported) for item in declared.members):
        frame.report(WorkflowCommandless(at=frame.at(declared.at), name=declared.name))


def _check_head(frame: Frame, declared: ast.Workflow) -> None:
    if declared.event_sourced is not None:
        frame.scope.source.use(declared.event_sourced.at, Feature.EVENT_SOURCED_WORKFLOWS)
    if declared.level is not None:
        at = frame.at(declared.level.at)
        frame.report(IsolationRequiresTransactional(at=at, level=declared.level.name))
    if declared.isolation is not None and any(isinstance(item, ast.Reactor) for item in declared.members):
        frame.report(TransactionalWithContinuations(at=frame.at(declared.at), name=declared.name))


def _isolation(frame: Frame, declared: ast.Workflow) -> ir.Isolation | None:
    written = declared.isolation
    if written is None or not written.name:
        return None
    known = {item.value: item for item in ir.Isolation}
    if written.name not in known:
        near = nearest(written.name, known)
        frame.report(IsolationUnknown(at=frame.at(written.at), name=written.name, nearest=near))
    return known.get(written.name)


def _check_effect(frame: Frame, declared: ast.Workflow, made: ir.Workflow, found: Iterable[Diagnostic]) -> None:
    """Nothing is said of a workflow with an error: the statement that has it may be the one with an effect."""
    is_whole = not any(problem.severity is Severity.ERROR for problem in found)
    is_whole &= not any(isinstance(item, ast.Unsupported) for item in declared.members)
    bodies = [item.body for item in made.creates] + [item.body for item in (*made.starters, *made.reactors)]
    is_idle = bodies and not any(map(_has_effect, bodies))
    if made.transactional and is_whole and is_idle:
        frame.report(TransactionalNoEffect(at=frame.at(declared.at), name=declared.name))


def _has_effect(body: tuple[st.Statement, ...]) -> bool:
    return any(map(_is_effect, every_statement(body)))


def _is_effect(item: st.Statement) -> bool:
    match item:
        case st.CreateInstance() | st.Delete() | st.Emit() | st.Assign() | st.Enqueue() | st.AfterCommit():
            return True
        case st.Invoke(mutates=mutates):
            return mutates
        case st.InvokeService(changes=changes):
            return bool(changes)
        case _:
            return False
