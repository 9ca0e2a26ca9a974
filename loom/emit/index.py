"""Finds the declarations of one service by what refers to them, and what they say of a type.

In: a ServicePlan. Out: lookups that every backend shares.
Never: how a target spells anything.
"""

from __future__ import annotations

from functools import cached_property

from loom.ir.types import ArrayType, OptionalType, PageType, PartType, RecordType, Ref, Type, ValueObjectType
from loom.plan.http import RequestPlan
from loom.plan.model import AggregatePlan, PartPlan, RecordPlan, ServicePlan, ValueObjectPlan

Structured = ValueObjectType | PartType | RecordType


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

    def is_checked(self, ref: Ref) -> bool:
        """Whether a value object has rules to keep when it is made."""
        return bool(self.value_objects[ref].invariants)

    def is_refused(self, kind: Type) -> bool:
        """Whether a value of the right shape can still break a rule of its kind."""
        inner = bare(kind)
        if not isinstance(inner, Structured):
            return False
        if isinstance(inner, ValueObjectType) and self.is_checked(inner.ref):
            return True
        return any(self.is_refused(item.type) for item in self.requested_as(inner).inputs)

    def declaration(self, kind: Structured) -> ValueObjectPlan | PartPlan | RecordPlan:
        match kind:
            case ValueObjectType(ref=ref):
                return self.value_objects[ref]
            case RecordType(ref=ref):
                return self.records[ref]
            case PartType(aggregate=aggregate, name=name):
                return self.parts[aggregate, name]

    def requested_as(self, kind: Structured) -> RequestPlan:
        """The shape of such a value in a request."""
        return self.declaration(kind).inputs


def bare(kind: Type) -> Type:
    """`kind` without optional, array and page around it."""
    while isinstance(kind, OptionalType | ArrayType | PageType):
        kind = kind.of
    return kind
