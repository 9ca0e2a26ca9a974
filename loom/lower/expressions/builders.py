"""Builders: value objects, parts and records made from their fields.

In: `Type { name: value }` as written. Out: a Construct with every stored field.
"""

from __future__ import annotations

from loom.base import NodePath, nearest
from loom.ir.expressions import Construct, Expr
from loom.ir.types import PartType, RecordType, Type, ValueObjectType
from loom.lower.expressions.defaults import hint
from loom.lower.expressions.fields import Wording, filled
from loom.lower.problems.expressions import (
    AggregateNotABuilder,
    ConstructionFieldType,
    ConstructionMissingField,
    ObjectLiteralPosition,
    UnknownBuilderType,
    UnknownConstructionField,
)
from loom.lower.problems.types import CrossAggregateEntityPart
from loom.lower.scope.frames import UNTOLD, Frame
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.relations import show, without_optional
from loom.lower.scope.shapes import InstanceShape
from loom.parse import ast


def builder(frame: Frame, node: ast.Builder) -> Expr | None:
    shape = _shape(frame, node)
    if shape is None:
        for item in node.fields:
            frame.lower(item.value, UNTOLD)
        return None
    fields = filled(frame, node.at, shape, node.fields, WORDING)
    return None if fields is None else Construct(type=shape.type, fields=fields)


def record(frame: Frame, node: ast.ObjectLiteral, expected: Type | None) -> Expr | None:
    """`{ name: value }` where a value object, part or record is expected, whose type it need not repeat."""
    target = without_optional(expected) if expected is not None else None
    shape = instance_of(frame.scope.tables, target) if isinstance(target, _BUILT) else None
    if shape is not None:
        fields = filled(frame, node.at, shape, node.fields, WORDING)
        return None if fields is None else Construct(type=shape.type, fields=fields)
    for item in node.fields:
        frame.lower(item.value, UNTOLD)
    return None if expected == UNTOLD else frame.fail(ObjectLiteralPosition(at=frame.at(node.at)))


_BUILT = ValueObjectType | PartType | RecordType


def _shape(frame: Frame, node: ast.Builder) -> InstanceShape | None:
    tables = frame.scope.tables
    own = frame.aggregate.parts.get(node.type) if frame.aggregate is not None else None
    found = own or tables.value_objects.get(node.type) or tables.records.get(node.type)
    return found or _unknown(frame, node)


def _unknown(frame: Frame, node: ast.Builder) -> InstanceShape | None:
    at = frame.at(node.at)
    tables = frame.scope.tables
    owners = frame.scope.names.owners_of(node.type)
    if frame.scope.names.is_unsupported(node.type):
        return None
    if node.type in tables.aggregates:
        frame.report(AggregateNotABuilder(at=at, name=node.type))
    elif len(owners) == 1 and frame.aggregate is None and owners[0] in tables.aggregates:
        return tables.aggregates[owners[0]].parts[node.type]
    elif owners:
        frame.report(CrossAggregateEntityPart(at=at, name=node.type, owner=owners[0]))
    else:
        parts = frame.aggregate.parts if frame.aggregate is not None else {}
        near = nearest(node.type, [*tables.value_objects, *parts, *tables.records])
        frame.report(UnknownBuilderType(at=at, name=node.type, nearest=near))
    return None


def _missing(at: NodePath, owner: str, name: str) -> ConstructionMissingField:
    return ConstructionMissingField(at=at, type=owner, name=name)


def _unknown_field(at: NodePath, owner: str, name: str, near: str) -> UnknownConstructionField:
    return UnknownConstructionField(at=at, type=owner, name=name, nearest=near)


def mismatch(at: NodePath, owner: str, name: str, expected: Type, found: Type) -> ConstructionFieldType:
    return ConstructionFieldType(
        at=at, type=owner, name=name, expected=show(expected), found=show(found), hint=hint(expected, found)
    )


WORDING = Wording(_missing, _unknown_field, mismatch)
