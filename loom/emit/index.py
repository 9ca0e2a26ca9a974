"""Finds the declarations of one service by what refers to them, and what they say of a type.

In: a ServicePlan. Out: lookups that every backend shares.
Never: how a target spells anything.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from loom.ir.types import IdType, RecordType, Ref, Type
from loom.plan.model import (
    AggregatePlan,
    ContextPlan,
    PartPlan,
    RecordPlan,
    ServicePlan,
    TestPlan,
    ValueObjectPlan,
    WorkflowCreatePlan,
)


class Suite(NamedTuple):
    """Unit tests of one subject: an aggregate, or (without a name) the value objects of a context or of the root."""

    subject: Ref
    tests: tuple[TestPlan, ...]


class ServiceIndex:
    """One service, by reference."""

    def __init__(self, plan: ServicePlan) -> None:
        self.plan = plan

    @cached_property
    def enums(self) -> dict[Ref, frozenset[str]]:
        """The values of each enum."""
        declared = [*self.plan.shared.enums, *[item for context in self.plan.contexts for item in context.enums]]
        return {item.ref: frozenset(item.values) for item in declared}

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

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """All that could have tests, those without any too: their names are taken."""
        found = [Suite(Ref(context="", name=""), self.plan.shared.value_object_tests)]
        for context in self.plan.contexts:
            found.append(Suite(Ref(context=context.name, name=""), context.value_object_tests))
            found += [Suite(item.ref, item.tests) for item in context.aggregates]
        return tuple(found)

    def answered_records(self, context: ContextPlan) -> tuple[RecordPlan, ...]:
        return tuple(item for item in context.records if RecordType(ref=item.ref) in self.answered)

    def raises(self, create: WorkflowCreatePlan) -> bool:
        """Whether a workflow raises events, by itself or through an aggregate that it stores."""
        return create.emits or any(self.aggregates[ref].emits for ref in create.stores)
