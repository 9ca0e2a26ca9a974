"""`apply`: how each event changes the instance that is folded from its log.

In: the members of an event-sourced aggregate or workflow, and the frame of its instance. Out: IR appliers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loom.base import nearest
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.types import EventType
from loom.lower.bodies.folds import fold
from loom.lower.problems.names import LinkingError
from loom.lower.problems.sourcing import (
    ApplierOnNonEventSourced,
    DuplicateApplier,
    WorkflowApplierOnNonEventSourced,
    WorkflowDuplicateApplier,
)
from loom.lower.scope.frames import Body, Frame, Origin
from loom.parse import ast


class Wording(NamedTuple):
    misplaced: type[ApplierOnNonEventSourced] | type[WorkflowApplierOnNonEventSourced]
    doubled: type[DuplicateApplier] | type[WorkflowDuplicateApplier]


OF_AGGREGATES = Wording(ApplierOnNonEventSourced, DuplicateApplier)
OF_WORKFLOWS = Wording(WorkflowApplierOnNonEventSourced, WorkflowDuplicateApplier)


def folded(members: Iterable[object]) -> frozenset[str]:
    """The events that are folded."""
    return frozenset(item.event.name for item in members if isinstance(item, ast.Apply))


def check_misplaced(frame: Frame, owner: str, members: Iterable[object], wording: Wording) -> None:
    """Reports folds of what is kept as state."""
    for item in members:
        if isinstance(item, ast.Apply):
            frame.report(wording.misplaced(at=frame.at(item.at), name=owner))


def appliers(frame: Frame, owner: str, members: Iterable[object], wording: Wording) -> tuple[ir.Applier, ...]:
    """`frame` knows the instance as `this`."""
    seen: set[str] = set()
    made: list[ir.Applier] = []
    for item in members:
        if not isinstance(item, ast.Apply):
            continue
        if item.event.name in seen:
            frame.report(wording.doubled(at=frame.at(item.event.at), owner=owner, event=item.event.name))
            continue
        seen.add(item.event.name)
        made += _applier(frame.within(Body.APPLY), item)
    return tuple(made)


def _applier(frame: Frame, declared: ast.Apply) -> Iterator[ir.Applier]:
    shape = frame.scope.tables.events.get(declared.event.name)
    type_ = shape.type if shape is not None else None
    body = fold(frame.bind(declared.parameter.name, type_, Origin.PARAMETER), declared.body)
    if isinstance(type_, EventType):
        yield ir.Applier(event=type_.ref, parameter=declared.parameter.name, body=body)
    elif not frame.scope.names.is_unsupported(declared.event.name):
        near = nearest(declared.event.name, frame.scope.tables.events)
        at = frame.at(declared.event.at)
        frame.report(LinkingError(at=at, kind="event", name=declared.event.name, nearest=near))


def always_emits(body: Iterable[st.Statement]) -> bool:
    """Whether every path through `body` emits."""
    for statement in body:
        match statement:
            case st.Emit():
                return True
            case st.If(then=then, otherwise=otherwise) if always_emits(then) and always_emits(otherwise):
                return True
    return False


def replayed(body: Iterable[st.Statement], by_event: dict[str, ir.Applier]) -> tuple[st.Statement, ...]:
    """`body` with what follows from each event behind it."""
    return tuple(part for statement in body for part in _replayed(statement, by_event))


def _replayed(statement: st.Statement, by_event: dict[str, ir.Applier]) -> Iterator[st.Statement]:
    match statement:
        case st.Emit(event=event) if event.name in by_event:
            yield statement
            yield from by_event[event.name].body
        case st.If(then=then, otherwise=otherwise):
            inside = {"then": replayed(then, by_event), "otherwise": replayed(otherwise, by_event)}
            yield statement.model_copy(update=inside)
        case _:
            yield statement
