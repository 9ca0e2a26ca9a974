"""Events of other contexts: what they hold, as far as this context can know it.

In: signatures of events. Out: their shapes.
Never: a diagnostic: a field whose type is wrong was reported where the event is declared, and has none here.
"""

from __future__ import annotations

from loom.ir.expressions import FieldKind
from loom.ir.types import (
    ArrayType,
    EnumType,
    EventType,
    IdType,
    OptionalType,
    Ref,
    Type,
    ValueObjectType,
)
from loom.lower.events import FieldSignature
from loom.lower.scope.names import ForeignEvent, Kind, Names
from loom.lower.scope.shapes import InstanceShape, MemberShape
from loom.lower.scope.typerefs import SCALARS


def event_shape(names: Names, found: ForeignEvent) -> InstanceShape:
    ref = Ref(context=found.context, name=found.event.name)
    members = {
        item.name: MemberShape(item.name, _whole(names, found.context, item), FieldKind.PROPERTY)
        for item in reversed(found.event.fields)
    }
    return InstanceShape(EventType(ref=ref), found.event.name, dict(reversed(members.items())), {})


def _whole(names: Names, context: str, field: FieldSignature) -> Type | None:
    base = _id(names, context, field) if field.is_id else _value(names, context, field)
    if base is None:
        return None
    if field.is_list:
        base = ArrayType(of=base)
    return OptionalType(of=base) if field.is_optional else base


def _id(names: Names, context: str, field: FieldSignature) -> Type | None:
    """A context may only hold ids of aggregates that it names without doubt."""
    if field.kind == "part":
        return IdType(aggregate=Ref(context=context, name=field.owner), part=field.type)
    if field.kind == "aggregate":
        return IdType(aggregate=Ref(context=context, name=field.type))
    others = [*names.foreign.get(field.type, ())]
    if names.local.get(field.type) is Kind.AGGREGATE:
        others.append(names.context)
    return IdType(aggregate=Ref(context=others[0], name=field.type)) if len(others) == 1 else None


def _value(names: Names, context: str, field: FieldSignature) -> Type | None:
    if field.kind in ("enum", "value"):
        ref = Ref(context=context, name=field.type)
        return EnumType(ref=ref) if field.kind == "enum" else ValueObjectType(ref=ref)
    root = names.root.get(field.type)
    if root is Kind.ENUM:
        return EnumType(ref=Ref(context="", name=field.type))
    if root is Kind.VALUE_OBJECT:
        return ValueObjectType(ref=Ref(context="", name=field.type))
    return SCALARS.get(field.type)
