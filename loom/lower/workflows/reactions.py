"""What events start and continue.

In: creates that an event starts, `on` members, and the frame of their workflow. Out: IR reactions.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from loom.base import Feature, nearest
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.expressions import Expr, Local
from loom.ir.types import NOTHING, EventType
from loom.lower.bodies.conditions import gates
from loom.lower.bodies.nested import every_statement
from loom.lower.bodies.workflow import workflow_block
from loom.lower.problems.correlation import (
    EventCreateOverlapWorkflow,
    OnDuplicateSubscription,
    WorkflowRestartsItself,
    WorkflowResultOnEventCreate,
)
from loom.lower.problems.delivery import ReactorChannelAmbiguous
from loom.lower.problems.names import LinkingError
from loom.lower.problems.workflows import RecordPosition
from loom.lower.scope.frames import Frame, Origin
from loom.lower.workflows.state import State, event_key
from loom.parse import ast


class Heard(msgspec.Struct, frozen=True):
    """An event and the name under which a body knows it."""

    parameter: str
    type: EventType

    @property
    def local(self) -> Local:
        return Local(type=self.type, name=self.parameter)


def starters(frame: Frame, declared: ast.Workflow, state: State) -> tuple[ir.Reaction, ...]:
    seen: set[EventType] = set()
    made: list[ir.Reaction] = []
    for item in declared.members:
        if not isinstance(item, ast.WorkflowCreate):
            continue
        heard = _started_by(frame, item)
        if heard is None:
            continue
        frame.scope.source.use(item.at, Feature.WORKFLOW_REACTIONS)
        if heard.type in seen:
            problem = EventCreateOverlapWorkflow(
                at=frame.at(item.at), event=heard.type.ref.name, workflow=declared.name
            )
            frame.report(problem)
        seen.add(heard.type)
        made += _starter(frame, declared, item, heard, state)
    return tuple(made)


def _started_by(frame: Frame, create: ast.WorkflowCreate) -> Heard | None:
    given = frame.scope.tables.commands.by_place[create.at].parameters
    found = (Heard(item.name, item.type) for item in given if isinstance(item.type, EventType))
    return next(found, None)


def _starter(
    frame: Frame, declared: ast.Workflow, create: ast.WorkflowCreate, heard: Heard, state: State
) -> Iterator[ir.Reaction]:
    for written in create.parameters:
        if len(create.parameters) > 1 and written.name == heard.parameter:
            frame.report(RecordPosition(at=frame.at(written.at), name=written.name))
    if create.returns is not None:
        at = frame.at(create.returns.at)
        frame.report(WorkflowResultOnEventCreate(at=at, result=create.returns.name))
    for made in _reaction(frame, create, heard, state, create.requires):
        yield made.model_copy(update={"name": create.name})
        emitted = [node for node in every_statement(made.body) if isinstance(node, st.Emit)]
        if any(node.event == heard.type.ref for node in emitted):
            at = frame.at(create.at)
            frame.report(WorkflowRestartsItself(at=at, workflow=declared.name, event=heard.type.ref.name))


def reactors(frame: Frame, declared: ast.Workflow, state: State) -> tuple[ir.Reaction, ...]:
    seen: set[EventType] = set()
    made: list[ir.Reaction] = []
    for item in declared.members:
        if not isinstance(item, ast.Reactor):
            continue
        frame.scope.source.use(item.at, Feature.WORKFLOW_REACTIONS)
        heard = _heard(frame, item)
        if heard is None:
            continue
        if heard.type in seen:
            at = frame.at(item.at)
            frame.report(OnDuplicateSubscription(at=at, event=item.event.name, workflow=declared.name))
        seen.add(heard.type)
        made += _reaction(frame, item, heard, state, None)
    return tuple(made)


def _heard(frame: Frame, declared: ast.Reactor) -> Heard | None:
    """The event of an `on`: the context's own before those of others."""
    tables, names = frame.scope.tables, frame.scope.names
    shape = tables.events.get(declared.event.name) or tables.foreign_events.get(declared.event.name)
    if shape is not None and isinstance(shape.type, EventType):
        return Heard(declared.parameter.name, shape.type)
    if not names.is_unsupported(declared.event.name):
        near = nearest(declared.event.name, [*tables.events, *tables.foreign_events])
        at = frame.at(declared.event.at)
        frame.report(LinkingError(at=at, kind="event", name=declared.event.name, nearest=near))
    return None


def _check_channels(frame: Frame, written: ast.Reactor | ast.WorkflowCreate, heard: Heard) -> None:
    channels = frame.scope.names.channels.get(heard.type.ref.name, ())
    if len(channels) > 1:
        names = " and ".join(f"`{name}`" for name in channels)
        at = frame.at(written.at)
        frame.report(ReactorChannelAmbiguous(at=at, event=heard.type.ref.name, channels=names))


def _reaction(
    frame: Frame,
    written: ast.Reactor | ast.WorkflowCreate,
    heard: Heard,
    state: State,
    requires: ast.Expression | None,
) -> Iterator[ir.Reaction]:
    kind = "on" if isinstance(written, ast.Reactor) else "create"
    frame.scope.source.declare(written.at, frame.owner, f"{kind} {heard.type.ref.name}")
    _check_channels(frame, written, heard)
    is_answered = isinstance(written, ast.WorkflowCreate) and written.returns is not None  # which has been told
    returns = None if is_answered else NOTHING
    inner = replace(frame.bind(heard.parameter, heard.type, Origin.PARAMETER), read=set(), returns=returns)
    key: Expr | None = event_key(inner, written, heard.local, state)
    gated, rest = gates(inner, requires, written.body)
    body = workflow_block(inner, rest)
    if key is not None:
        yield ir.Reaction(name="", event=heard.type.ref, parameter=heard.parameter, key=key, requires=gated, body=body)
