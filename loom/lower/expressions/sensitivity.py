"""Sensitive values: what an expression carries, and whether what takes it says so too.

In: a typed expression and the frame around it. Out: its tags, and a warning where a target lacks some of them.
Never: a change of the value; a tag is about logs and readers, not about types.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import astuple

from loom.base import Value
from loom.ir.expressions import Construct, Expr, Field, FunctionCall, Local
from loom.lower.problems.commands import SensitiveNarrowing
from loom.lower.scope.frames import Frame
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.relations import without_optional
from loom.lower.scope.shapes import Tags

NONE: Tags = frozenset()


def tags_of(frame: Frame, value: Expr | None) -> Tags:
    """All tags of what `value` is computed from; fields of what it builds keep their own."""
    if value is None or not frame.scope.tables.has_sensitive:
        return NONE
    return frozenset(tag for node in _computed(value) for tag in _own(frame, node))


def _computed(value: Value) -> Iterator[Value]:
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            stack += item
        elif isinstance(item, Value) and not isinstance(item, Construct):
            yield item
            stack += astuple(item)


def _own(frame: Frame, node: Value) -> Tags:
    match node:
        case Local(name=name):
            return frame.locals[name].tags if name in frame.locals else NONE
        case Field(receiver=receiver, name=name):
            shape = instance_of(frame.scope.tables, without_optional(receiver.type))
            return shape.members[name].tags if shape is not None and name in shape.members else NONE
        case FunctionCall(receiver=receiver, name=name) if receiver is not None:
            shape = instance_of(frame.scope.tables, without_optional(receiver.type))
            return shape.functions[name].tags if shape is not None and name in shape.functions else NONE
        case _:
            return NONE


def check_flow(frame: Frame, at: int, value: Expr | None, target: str, kept: Tags) -> None:
    """Warns where `target`, which says that it holds `kept`, would hold more than that."""
    lost = tags_of(frame, value) - kept
    if lost:
        frame.report(SensitiveNarrowing(at=frame.at(at), target=target, tags=", ".join(sorted(lost))))
