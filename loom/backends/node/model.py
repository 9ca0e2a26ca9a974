"""The Plan of one service, and what a request must be turned into before the domain sees it.

In: a ServicePlan. Out: the lookups of every backend, and these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from loom.emit.index import ServiceIndex
from loom.ir.types import ArrayType, IdType, OptionalType, PartType, Ref, Type, ValueObjectType


class Model(ServiceIndex):
    """Every declaration of the service by its reference."""

    @cached_property
    def ids(self) -> dict[IdType, str]:
        """What the types of ids are called."""
        return _id_names(self.id_types)

    def emits(self, aggregate: Ref) -> bool:
        """Whether the aggregate ever raises an event."""
        return bool(self.aggregates[aggregate].emits)

    def is_converted(self, kind: Type) -> bool:
        """Whether a request's value is not yet the domain's: a part has no id, a value object is not checked."""
        match kind:
            case OptionalType(of=inner) | ArrayType(of=inner):
                return self.is_converted(inner)
            case PartType():
                return True
            case ValueObjectType(ref=ref):
                plan = self.value_objects[ref]
                return bool(plan.invariants) or any(self.is_converted(field.type) for field in plan.fields)
            case _:
                return False


def _id_names(ids: Iterable[IdType]) -> dict[IdType, str]:
    """One that another declaration could claim is called after its owner too."""
    claims = Counter(item.part or item.aggregate.name for item in ids)
    claims["By"] += 1  # each module of routes has a `ById` of its own
    return {item: _id_name(item, alone=claims[item.part or item.aggregate.name] == 1) for item in ids}


def _id_name(item: IdType, *, alone: bool) -> str:
    owner, part = item.aggregate.name, item.part
    if alone:
        return f"{part or owner}Id"
    return f"{owner}{part}PartId" if part else f"{item.aggregate.context}{owner}Id"
