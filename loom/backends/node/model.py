"""The Plan of one service, indexed by what its files look up.

In: a ServicePlan. Out: plans by reference, and what a request must be turned into before the domain sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loom.ir.types import ArrayType, OptionalType, PartType, Ref, Type, ValueObjectType
from loom.plan.code.walk import descendants
from loom.plan.model import AggregatePlan, PartPlan, ServicePlan, ValueObjectPlan
from loom.plan.steps import DeleteStep


class Model(NamedTuple):
    """Every declaration of the service by its reference."""

    value_objects: dict[Ref, ValueObjectPlan]
    aggregates: dict[Ref, AggregatePlan]
    parts: dict[tuple[Ref, str], PartPlan]
    deleted: frozenset[Ref]

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


def model_of(plan: ServicePlan) -> Model:
    contexts = plan.contexts
    value_objects = [*plan.shared.value_objects, *[item for context in contexts for item in context.value_objects]]
    aggregates = [item for context in contexts for item in context.aggregates]
    return Model(
        value_objects={item.ref: item for item in value_objects},
        aggregates={item.ref: item for item in aggregates},
        parts={(item.ref, part.name): part for item in aggregates for part in item.parts},
        deleted=frozenset(_deleted(plan)),
    )


def _deleted(plan: ServicePlan) -> Iterator[Ref]:
    """Aggregates that a route or a workflow deletes."""
    for context in plan.contexts:
        yield from (item.ref for item in context.aggregates if item.destroy is not None)
        for node in descendants(context.workflows):
            if isinstance(node, DeleteStep):
                yield node.aggregate
