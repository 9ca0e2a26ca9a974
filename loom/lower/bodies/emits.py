"""`emit`: an event with every one of its fields.

In: the statement as written. Out: the event and its values, in declared order.
"""

from __future__ import annotations

from loom.base import Diagnostic, NodePath, nearest
from loom.ir import statements as ir
from loom.ir.types import EventType
from loom.lower.expressions.builders import mismatch
from loom.lower.expressions.fields import Wording, filled
from loom.lower.problems.bodies import EmitMissingField, EmitUnknownEvent, EmitUnknownField
from loom.lower.problems.sourcing import EmittedEventNoApplier, WorkflowEmittedEventNoApplier
from loom.lower.problems.workflows import WorkflowEmitMissingField, WorkflowEmitUnknownEvent, WorkflowEmitUnknownField
from loom.lower.scope.frames import ENTRIES, Frame
from loom.parse import ast


def emit(frame: Frame, node: ast.Emit) -> ir.Statement | None:
    shape = frame.scope.tables.events.get(node.event)
    if shape is None or not isinstance(shape.type, EventType):
        if not frame.scope.names.is_unsupported(node.event):
            frame.report(_unknown(frame, node))
        for item in node.fields:
            frame.lower(item.value, None)
        return None
    if frame.folded is not None and node.event not in frame.folded:
        frame.report(_forgotten(frame, node))
    wording = _WORKFLOW if frame.body in ENTRIES else _AGGREGATE
    fields = filled(frame, node.at, shape, node.fields, wording)
    return None if fields is None else ir.Emit(event=shape.type.ref, fields=fields)


def _unknown(frame: Frame, node: ast.Emit) -> Diagnostic:
    near = nearest(node.event, frame.scope.tables.events)
    at = frame.at(node.at)
    if frame.body in ENTRIES:
        return WorkflowEmitUnknownEvent(at=at, name=node.event, nearest=near)
    return EmitUnknownEvent(at=at, name=node.event, nearest=near)


def _forgotten(frame: Frame, node: ast.Emit) -> Diagnostic:
    at = frame.at(node.at)
    owner = frame.this.name if frame.this is not None else frame.owner
    if frame.body in ENTRIES:
        return WorkflowEmittedEventNoApplier(at=at, owner=owner, event=node.event)
    return EmittedEventNoApplier(at=at, owner=owner, event=node.event)


def _missing(at: NodePath, event: str, name: str) -> Diagnostic:
    return EmitMissingField(at=at, event=event, name=name)


def _unknown_field(at: NodePath, event: str, name: str, near: str) -> Diagnostic:
    return EmitUnknownField(at=at, event=event, name=name, nearest=near)


def _workflow_missing(at: NodePath, event: str, name: str) -> Diagnostic:
    return WorkflowEmitMissingField(at=at, event=event, name=name)


def _workflow_unknown_field(at: NodePath, event: str, name: str, near: str) -> Diagnostic:
    return WorkflowEmitUnknownField(at=at, event=event, name=name, nearest=near)


_AGGREGATE = Wording(_missing, _unknown_field, mismatch)
_WORKFLOW = Wording(_workflow_missing, _workflow_unknown_field, mismatch)
