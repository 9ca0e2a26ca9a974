"""The state of a workflow, and the field of it that tells its instances apart.

In: the declaration of a workflow. Out: the shape of its state, its key, the key that an entry gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

from loom.base import Feature
from loom.ir.expressions import Expr, Field, FieldKind, Local
from loom.ir.types import Ref, Type, WorkflowType
from loom.lower.problems.correlation import (
    CorrelationFieldAmbiguous,
    CorrelationTypeMismatch,
    CorrelationUninferrable,
    WorkflowCorrelationRequired,
)
from loom.lower.scope.frames import Frame
from loom.lower.scope.members import instance, property_shape
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.relations import show
from loom.lower.scope.shapes import InstanceShape, MemberShape, ParameterShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast


class State(msgspec.Struct, frozen=True):
    """`shape` is None for a workflow that keeps nothing. Without a `key` that is sound, `is_doubtful` says why."""

    shape: InstanceShape | None
    key: MemberShape | None
    is_doubtful: bool = False

    @property
    def key_type(self) -> Type | None:
        return self.key.type if self.key is not None else None


def state_of(frame: Frame, declared: ast.Workflow, types: TypeScope) -> State:
    fields = [item for item in declared.members if isinstance(item, ast.Property)]
    ref = Ref(context=types.names.context, name=declared.name)
    for item in fields:
        types.source.declare(item.at, declared.name, item.name)
    if fields and declared.event_sourced is None:
        types.source.use(fields[0].at, Feature.WORKFLOW_STATE)
    made = [(item.at, property_shape(item, types, Position.FIELD)) for item in fields]
    shape = instance(WorkflowType(ref=ref), declared.name, made, {}, types.source) if made else None
    return _keyed(frame, declared, shape, is_broken=any(member.type is None for _, member in made))


def _keyed(frame: Frame, declared: ast.Workflow, shape: InstanceShape | None, *, is_broken: bool) -> State:
    keys = shape.key_fields() if shape is not None else []
    if len(keys) > 1:
        names = ", ".join(f"`{item.name}`" for item in keys)
        frame.report(CorrelationFieldAmbiguous(at=frame.at(declared.at), name=declared.name, fields=names))
        return State(shape, None, is_doubtful=True)
    case = _need(frame, declared)
    if not keys and not is_broken and case is not None:
        frame.report(WorkflowCorrelationRequired(at=frame.at(declared.at), case=case, name=declared.name))
    return State(shape, keys[0] if keys else None, is_doubtful=not keys and (is_broken or case is not None))


def _need(frame: Frame, declared: ast.Workflow) -> Literal["events", "sourced", "by"] | None:
    """What of a workflow makes no sense without instances."""
    if declared.event_sourced is not None:
        return "sourced"
    entries = [item for item in declared.members if isinstance(item, ast.WorkflowCreate)]
    shapes = frame.scope.tables.commands.by_place
    if any(isinstance(item, ast.Reactor) for item in declared.members):
        return "events"
    if any(shapes[item.at].is_started for item in entries):
        return "events"
    return "by" if any(item.by is not None for item in entries) else None


def event_key(frame: Frame, written: ast.Reactor | ast.WorkflowCreate, event: Local, state: State) -> Expr | None:
    """The key that an event gives: what `by` says, or its field of the key's name."""
    if written.by is not None:
        return _by(frame, written.by, state)
    shape = instance_of(frame.scope.tables, event.type)
    if state.key is None or shape is None:
        return None
    found = shape.members.get(state.key.name)
    if found is None:
        at = frame.at(written.at)
        case: Literal["event"] = "event"
        frame.report(CorrelationUninferrable(at=at, case=case, source=shape.name, key=state.key.name))
        return None
    if found.type is None:
        return None
    value = Field(type=found.type, receiver=event, name=found.name, kind=found.kind)
    return _checked(frame, written.at, value, state)


def command_key(
    frame: Frame, create: ast.WorkflowCreate, given: Iterable[ParameterShape], state: State
) -> tuple[Expr | None, bool]:
    """The key that a command gives, if it gives one; and whether nobody can know because something is broken."""
    if create.by is not None:
        key = _by(frame, create.by, state)
        return key, key is None
    if state.key is None:
        return None, state.is_doubtful
    found = next(_named(frame, given, state.key.name), None)
    if found is None:
        return None, False
    key = _checked(frame, create.at, found, state)
    return key, key is None


def _named(frame: Frame, given: Iterable[ParameterShape], key: str) -> Iterator[Expr]:
    """The parameter of the key's name, or the field of that name of a command record."""
    for item in given:
        if item.type is None:
            continue
        local = Local(type=item.type, name=item.name)
        if item.name == key:
            frame.read.add(item.name)
            yield local
        shape = instance_of(frame.scope.tables, item.type)
        field = shape.members.get(key) if shape is not None and item.name != key else None
        if field is not None and field.type is not None:
            yield Field(type=field.type, receiver=local, name=key, kind=FieldKind.PROPERTY)


def _by(frame: Frame, by: ast.Expression, state: State) -> Expr | None:
    value = replace(frame, this=None).lower(by, state.key_type)
    return _checked(frame, by.at, value, state) if value is not None else None


def _checked(frame: Frame, at: int, value: Expr, state: State) -> Expr | None:
    if state.key is None or state.key.type is None:
        return None
    if value.type == state.key.type:
        return value
    expected, found = show(state.key.type), show(value.type)
    return frame.fail(CorrelationTypeMismatch(at=frame.at(at), key=state.key.name, expected=expected, found=found))
