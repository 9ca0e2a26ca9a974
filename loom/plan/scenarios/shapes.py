"""What bodies and answers look like on the wire, for whoever reads or writes JSON against a plan.

In: a ServicePlan. Out: the members of a type, the inputs of a type, the values of an enum.
Never: a diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from loom.ir.types import (
    INT,
    AggregateType,
    ArrayType,
    EnumType,
    IdType,
    NothingType,
    OptionalType,
    PageType,
    PartType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
)
from loom.plan.http import InputPlan, MemberPlan, RouteKind, RoutePlan
from loom.plan.model import ContextPlan, ServicePlan, SharedPlan
from loom.plan.wire.schemas import PAGE_COUNTS, SCALARS


class Kind(StrEnum):
    """A kind of JSON, in the words of messages."""

    TEXT = "a text"
    NUMBER = "a number"
    BOOL = "`true` or `false`"
    ARRAY = "an array"
    OBJECT = "an object"


_KINDS = {"string": Kind.TEXT, "integer": Kind.NUMBER, "number": Kind.NUMBER, "boolean": Kind.BOOL}
_SCALARS: Mapping[ScalarKind, Kind] = {
    scalar: _KINDS[str(schema["type"])] for scalar, schema in SCALARS.items() if "type" in schema
}


class Handle(NamedTuple):
    """What a create answers: an object with the id, which stands for that id wherever it is sent."""

    id: IdType


Shape = Type | Handle | None  # None: nothing is known of it
Members = Mapping[str, Shape]


class Shapes:
    """Lookups over everything that a service declares."""

    def __init__(self, service: ServicePlan) -> None:
        homes: tuple[SharedPlan | ContextPlan, ...] = (service.shared, *service.contexts)
        values = {item.ref: item for home in homes for item in home.value_objects}
        aggregates = [item for context in service.contexts for item in context.aggregates]
        parts = {(part.aggregate, part.name): part for item in aggregates for part in item.parts}
        self.enums: Mapping[Ref, tuple[str, ...]] = {item.ref: item.values for home in homes for item in home.enums}
        self._members: Mapping[Type, tuple[MemberPlan, ...]] = {
            **{AggregateType(ref=item.ref): item.members for item in aggregates},
            **{ValueObjectType(ref=ref): item.members for ref, item in values.items()},
            **{PartType(aggregate=ref, name=name): part.members for (ref, name), part in parts.items()},
        }
        self._inputs: Mapping[Type, tuple[InputPlan, ...]] = {
            **{ValueObjectType(ref=ref): item.inputs.inputs for ref, item in values.items()},
            **{PartType(aggregate=ref, name=name): part.inputs.inputs for (ref, name), part in parts.items()},
        }

    def members(self, shape: Shape) -> Members | None:
        """What may follow in a member chain; None when that is unknown, empty when nothing may."""
        match shape:
            case Handle(id=id_):
                return {"id": id_}
            case OptionalType(of=inner):
                return self.members(inner)
            case PageType(of=element):
                return {"items": ArrayType(of=element), **dict.fromkeys(PAGE_COUNTS, INT)}
            case ArrayType(of=element):
                return {"count": INT, "length": INT, "first": element}
            case AggregateType() | ValueObjectType() | PartType():
                return _by_wire(self._members.get(shape))
            case NothingType():
                return {}
            case _:
                return _of_scalar(wire_kind(shape))

    def followed(self, shape: Shape, members: Iterable[str]) -> Shape:
        """What a chain of members leads to; None when nothing is known of it."""
        for name in members:
            shape = (self.members(shape) or {}).get(name)
        return shape

    def inputs(self, kind: Type) -> tuple[InputPlan, ...] | None:
        """What an object of `kind` takes in a request; None when it is no object, or unknown."""
        return self._inputs.get(kind)


def _by_wire(members: Iterable[MemberPlan] | None) -> Members | None:
    return None if members is None else {item.wire: item.type for item in members}


def _of_scalar(kind: Kind | None) -> Members | None:
    if kind is Kind.TEXT:
        return {"count": INT, "length": INT}
    return None if kind is None else {}


def answer(route: RoutePlan) -> Shape:
    """What a call of `route` is answered with."""
    if route.kind is RouteKind.CREATE and isinstance(route.responds, IdType):
        return Handle(route.responds)
    return route.responds


def wire_kind(shape: Shape) -> Kind | None:
    """The kind of JSON; None when it may be any, or nothing is known."""
    match shape:
        case OptionalType(of=inner):
            return wire_kind(inner)
        case Scalar(kind=kind):
            return _SCALARS.get(kind)
        case EnumType() | IdType() | Handle():
            return Kind.TEXT
        case ArrayType():
            return Kind.ARRAY
        case AggregateType() | ValueObjectType() | PartType() | PageType():
            return Kind.OBJECT
        case _:
            return None
