"""The Plan of one service, indexed by what its files look up.

In: a ServicePlan. Out: plans by reference, and what a request must be turned into before the domain sees it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from loom.ir.types import ArrayType, IdType, OptionalType, PartType, RecordType, Ref, Type, ValueObjectType
from loom.plan.code.walk import descendants
from loom.plan.model import AggregatePlan, PartPlan, ServicePlan, ValueObjectPlan
from loom.plan.steps import DeleteStep


class Model(NamedTuple):
    """Every declaration of the service by its reference."""

    value_objects: dict[Ref, ValueObjectPlan]
    aggregates: dict[Ref, AggregatePlan]
    parts: dict[tuple[Ref, str], PartPlan]
    deleted: frozenset[Ref]
    ids: dict[IdType, str]
    answered: frozenset[Ref]

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

    def is_refused(self, kind: Type) -> bool:
        """Whether a value of the right shape can still break a rule of its kind."""
        match kind:
            case OptionalType(of=inner) | ArrayType(of=inner):
                return self.is_refused(inner)
            case PartType(aggregate=aggregate, name=name):
                return any(self.is_refused(item.type) for item in self.parts[aggregate, name].inputs.inputs)
            case ValueObjectType(ref=ref):
                plan = self.value_objects[ref]
                return bool(plan.invariants) or any(self.is_refused(field.type) for field in plan.fields)
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
        ids=_ids(plan),
        answered=frozenset(_answered(plan)),
    )


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
    return {item: _id_name(item, alone=claims[item.part or item.aggregate.name] == 1) for item in ids}


def _id_name(item: IdType, *, alone: bool) -> str:
    owner, part = item.aggregate.name, item.part
    if alone:
        return f"{part or owner}Id"
    return f"{owner}{part}PartId" if part else f"{item.aggregate.context}{owner}Id"


def _deleted(plan: ServicePlan) -> Iterator[Ref]:
    """Aggregates that a route or a workflow deletes."""
    for context in plan.contexts:
        yield from (item.ref for item in context.aggregates if item.destroy is not None)
        for node in descendants(context.workflows):
            if isinstance(node, DeleteStep):
                yield node.aggregate
