"""The shape behind a type."""

from __future__ import annotations

from loom.ir.expressions import FieldKind
from loom.ir.types import (
    FILE,
    LONG,
    STRING,
    AggregateType,
    EventType,
    FileType,
    PartType,
    RecordType,
    Type,
    ValueObjectType,
)
from loom.lower.scope.shapes import InstanceShape, MemberShape, Tables

_KEPT = {"url": STRING, "key": STRING, "contentType": STRING, "size": LONG}
_FILE = InstanceShape(
    FILE, "File", {name: MemberShape(name, type_, FieldKind.PROPERTY) for name, type_ in _KEPT.items()}, {}
)


def instance_of(tables: Tables, type_: Type) -> InstanceShape | None:
    """What has members among the values of `type_`; None for scalars, collections and optionals."""
    match type_:
        case ValueObjectType(ref=ref):
            return _of(tables.value_objects.get(ref.name), type_)
        case PartType(aggregate=ref, name=name):
            owner = tables.aggregates.get(ref.name) or tables.bases.get(ref.name)
            return owner.parts.get(name) if owner is not None else None
        case AggregateType(ref=ref):
            found = tables.aggregates.get(ref.name) or tables.bases.get(ref.name)
            return found.instance if found is not None else None
        case EventType(ref=ref):
            return (tables.events if ref.context == tables.context else tables.foreign_events).get(ref.name)
        case RecordType(ref=ref):
            return tables.records.get(ref.name)
        case FileType():
            return _FILE
        case _:
            return None


def _of(found: InstanceShape | None, type_: Type) -> InstanceShape | None:
    """What is known under that name, unless another context calls something else so."""
    return found if found is not None and found.type == type_ else None
