"""Finds the declarations of one service by what refers to them, and what they say of a type.

In: a ServicePlan. Out: lookups that every backend shares.
Never: how a target spells anything.
"""

from __future__ import annotations

from functools import cached_property

from loom.ir.types import IdType, Ref, Type
from loom.plan.model import AggregatePlan, PartPlan, RecordPlan, ServicePlan, ValueObjectPlan, WorkflowCreatePlan


class ServiceIndex:
    """One service, by reference."""

    def __init__(self, plan: ServicePlan) -> None:
        self.plan = plan

    @cached_property
    def value_objects(self) -> dict[Ref, ValueObjectPlan]:
        declared = [*self.plan.shared.value_objects]
        for context in self.plan.contexts:
            declared += context.value_objects
        return {item.ref: item for item in declared}

    @cached_property
    def aggregates(self) -> dict[Ref, AggregatePlan]:
        return {item.ref: item for context in self.plan.contexts for item in context.aggregates}

    @cached_property
    def parts(self) -> dict[tuple[Ref, str], PartPlan]:
        owned = [part for aggregate in self.aggregates.values() for part in aggregate.parts]
        return {(part.aggregate, part.name): part for part in owned}

    @cached_property
    def records(self) -> dict[Ref, RecordPlan]:
        return {item.ref: item for context in self.plan.contexts for item in context.records}

    @cached_property
    def id_types(self) -> tuple[IdType, ...]:
        """The types of all ids, each aggregate's before those of its parts."""
        hosted = {ref: item.parts for ref, item in self.aggregates.items()}
        return tuple(
            IdType(aggregate=ref, part=name)
            for ref in self.plan.ids
            for name in ("", *[part.name for part in hosted.get(ref, ())])
        )

    @cached_property
    def requested(self) -> frozenset[Type]:
        return frozenset(self.plan.requested)

    @cached_property
    def answered(self) -> frozenset[Type]:
        return frozenset(self.plan.answered)

    def raises(self, create: WorkflowCreatePlan) -> bool:
        """Whether a workflow raises events, by itself or through an aggregate that it stores."""
        return create.emits or any(self.aggregates[ref].emits for ref in create.stores)
