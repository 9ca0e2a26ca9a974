"""Folds of projections: the key of their rows, and what events change in them.

In: the declaration and the shape of its row. Out: IR folds.
Never: anything but the event and the row.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loom.base import nearest
from loom.ir import statements as ir
from loom.ir.expressions import Expr, Field, FieldKind, Local
from loom.ir.projections import ProjectionFold
from loom.ir.types import GUID, NOTHING, EventType, IdType, Type
from loom.lower.bodies.assignments import assignment
from loom.lower.bodies.blocks import Lowered, statement_name
from loom.lower.bodies.folds import PureStatements
from loom.lower.bodies.reads import repository_call
from loom.lower.expressions.calls import function_named
from loom.lower.mentions import below
from loom.lower.problems.names import LinkingError
from loom.lower.problems.projections import (
    ProjectionDuplicateOn,
    ProjectionEventUnkeyed,
    ProjectionFoldImpure,
    ProjectionKeyNotId,
    ProjectionKeyUnknown,
)
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.relations import show
from loom.lower.scope.shapes import InstanceShape, MemberShape
from loom.parse import ast

_CLOCK = ("now", "isOverdue", "isFuture", "isPast")


def key_of(frame: Frame, declared: ast.Projection, row: InstanceShape) -> str:
    """The field that tells rows apart; empty where it is wrong."""
    written, name = declared.key, declared.name
    if written is None:
        at = frame.at(declared.at)
        frame.report(ProjectionKeyUnknown(at=at, case="missing", projection=name, name="", nearest=""))
        return ""
    member, at = row.members.get(written.name), frame.at(written.at)
    if member is None:
        near = nearest(written.name, row.members)
        frame.report(ProjectionKeyUnknown(at=at, case="unknown", projection=name, name=written.name, nearest=near))
        return ""
    if member.type is not None and not _is_id(member.type):
        frame.report(ProjectionKeyNotId(at=at, name=written.name, found=show(member.type)))
        return ""
    return written.name


def _is_id(type_: Type) -> bool:
    return isinstance(type_, IdType) or type_ == GUID


def folds(frame: Frame, declared: ast.Projection, row: InstanceShape) -> tuple[ProjectionFold, ...]:
    key = row.members.get(declared.key.name) if declared.key is not None else None
    seen: set[EventType] = set()
    made: list[ProjectionFold] = []
    for item in declared.folds:
        event = _event(frame, item)
        if event in seen:
            frame.report(ProjectionDuplicateOn(at=frame.at(item.event.at), event=item.event.name))
        if event is not None:
            seen.add(event)
        made += _fold(frame, item, event, row, key)
    return tuple(made)


def _event(frame: Frame, written: ast.Reactor) -> EventType | None:
    tables, name = frame.scope.tables, written.event.name
    shape = tables.events.get(name) or tables.foreign_events.get(name)
    if shape is not None and isinstance(shape.type, EventType):
        return shape.type
    if not frame.scope.names.is_unsupported(name):
        near = nearest(name, [*tables.events, *tables.foreign_events])
        frame.report(LinkingError(at=frame.at(written.event.at), kind="event", name=name, nearest=near))
    return None


def _fold(
    frame: Frame, written: ast.Reactor, event: EventType | None, row: InstanceShape, key: MemberShape | None
) -> Iterator[ProjectionFold]:
    heard = frame.bind(written.parameter.name, event, Origin.PARAMETER)
    chosen = _row(heard, written, event, key) if event is not None and key is not None else None
    inner = replace(heard, body=Body.FOLD, this=row, returns=NOTHING)
    body = _FoldStatements(key.name if key is not None else "").fold(inner, written.body)
    if event is not None and chosen is not None:
        yield ProjectionFold(event=event.ref, parameter=written.parameter.name, key=chosen, body=body)


def _row(frame: Frame, written: ast.Reactor, event: EventType, key: MemberShape) -> Expr | None:
    """Which row the event changes: what `by` says, or its field of the key's name."""
    if key.type is None or not _is_id(key.type):
        return None
    value = frame.lower(written.by) if written.by is not None else _own_field(frame, written, event, key.name)
    if value is None and written.by is not None:
        return None
    if value is not None and value.type == key.type:
        return value
    at = frame.at(written.by.at if written.by is not None else written.event.at)
    frame.report(
        ProjectionEventUnkeyed(
            at=at,
            case="type" if value is not None else "none",
            event=event.ref.name,
            key=key.name,
            expected=show(key.type),
            found=show(value.type) if value is not None else "",
        )
    )
    return None


def _own_field(frame: Frame, written: ast.Reactor, event: EventType, name: str) -> Expr | None:
    tables = frame.scope.tables
    events = tables.events if event.ref.context == tables.context else tables.foreign_events
    found = events[event.ref.name].members.get(name)
    if found is None or found.type is None:
        return None
    local = Local(type=event, name=written.parameter.name)
    return Field(type=found.type, receiver=local, name=name, kind=FieldKind.PROPERTY)


class _FoldStatements(PureStatements):
    def __init__(self, key: str) -> None:
        self.key = key

    def fold(self, frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
        """The statements of `body`; wrong ones are left out, having been reported."""
        for item in below(body):
            match item:
                case ast.Call(callee=ast.Name(name=name), at=at) if name in _CLOCK:
                    if function_named(frame, name) is None:
                        frame.report(ProjectionFoldImpure(at=frame.at(at), what=f"read the clock with `{name}(…)`"))
        return self.block(frame, body)

    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        frame.report(ProjectionFoldImpure(at=frame.at(node.at), what=f"have {statement_name(node)}"))
        return None, frame

    def assign(self, frame: Frame, node: ast.Assign) -> ir.Statement | None:
        match node.target:
            case ast.Name(name=name) | ast.Member(target=ast.This(), name=name) if name == self.key:
                frame.report(ProjectionFoldImpure(at=frame.at(node.at), what=f"change the key `{name}`"))
                return None
        return assignment(frame, node)

    def refuses_call(self, frame: Frame, node: ast.Expression) -> bool:
        """Reports a call that reads something else."""
        read = repository_call(frame, node)
        if read is not None:
            frame.report(ProjectionFoldImpure(at=frame.at(node.at), what=f"read with `{read.printed}`"))
        return read is not None
