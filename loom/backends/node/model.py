"""The Plan of one service, and what a request must be turned into before the domain sees it.

In: a ServicePlan. Out: the lookups of every backend, and these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from loom.emit.index import ServiceIndex
from loom.ir.types import ArrayType, IdType, OptionalType, PartType, RecordType, Ref, Type, ValueObjectType
from loom.plan.model import ServicePlan


class Model(ServiceIndex):
    """Every declaration of the service by its reference."""

    @cached_property
    def ids(self) -> dict[IdType, str]:
        return _ids(self.plan)

    @cached_property
    def enums(self) -> dict[Ref, frozenset[str]]:
        """The values of each enum."""
        declared = [*self.plan.shared.enums, *[item for context in self.plan.contexts for item in context.enums]]
        return {item.ref: frozenset(item.values) for item in declared}

    @cached_property
    def answered(self) -> frozenset[Ref]:
        return frozenset(_answered(self.plan))

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


def _answered(plan: ServicePlan) -> Iterator[Ref]:
    """Records that a workflow answers."""
    for context in plan.contexts:
        for create in (create for workflow in context.workflows for create in workflow.creates):
            if isinstance(create.returns, RecordType):
                yield create.returns.ref


def _ids(plan: ServicePlan) -> dict[IdType, str]:
    """The types of all ids; one that another declaration could claim is called after its owner too."""
    hosted = {item.ref: item.parts for context in plan.contexts for item in context.aggregates}
    ids: list[IdType] = []
    for ref in plan.ids:
        ids += [IdType(aggregate=ref), *(IdType(aggregate=ref, part=part.name) for part in hosted.get(ref, ()))]
    claims = Counter(item.part or item.aggregate.name for item in ids)
    claims["By"] += 1  # each module of routes has a `ById` of its own
    return {item: _id_name(item, alone=claims[item.part or item.aggregate.name] == 1) for item in ids}


def _id_name(item: IdType, *, alone: bool) -> str:
    owner, part = item.aggregate.name, item.part
    if alone:
        return f"{part or owner}Id"
    return f"{owner}{part}PartId" if part else f"{item.aggregate.context}{owner}Id"
