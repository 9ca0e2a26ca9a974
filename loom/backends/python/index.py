"""Finds the declarations of one service by what refers to them.

In: a ServicePlan. Out: lookups that every part of the backend shares.
"""

from __future__ import annotations

from functools import cached_property

from loom.ir.types import ArrayType, OptionalType, PageType, PartType, RecordType, Ref, Type, ValueObjectType
from loom.plan.http import InputPlan
from loom.plan.model import AggregatePlan, PartPlan, RecordPlan, ServicePlan, ValueObjectPlan


class Index:
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
        if isinstance(inner, ValueObjectType) and self.is_checked(inner.ref):
            return True
        if not isinstance(inner, ValueObjectType | PartType | RecordType):
            return False
        return any(self.is_refused(below) for below in self._below(inner, by_input=True))

    @cached_property
    def requested(self) -> frozenset[Type]:
        """Value objects and parts that some request holds."""
        return frozenset(self._reached([item.type for item in self._inputs()], by_input=True))

    @cached_property
    def answered(self) -> frozenset[Type]:
        """Value objects, parts and records that some answer holds."""
        kinds = [member.type for aggregate in self.aggregates.values() for member in aggregate.members]
        kinds += [route.responds for aggregate in self.aggregates.values() for route in aggregate.routes]
        for context in self.plan.contexts:
            kinds += [create.returns for workflow in context.workflows for create in workflow.creates]
        return frozenset(self._reached(kinds, by_input=False))

    def _inputs(self) -> list[InputPlan]:
        routes = [route for aggregate in self.aggregates.values() for route in aggregate.routes]
        for context in self.plan.contexts:
            routes += [create.route for workflow in context.workflows for create in workflow.creates]
        return [item for route in routes if route.request for item in route.request.inputs]

    def _reached(self, kinds: list[Type], *, by_input: bool) -> set[Type]:
        found: set[Type] = set()
        pending = list(kinds)
        while pending:
            kind = bare(pending.pop())
            if kind not in found and isinstance(kind, ValueObjectType | PartType | RecordType):
                found.add(kind)
                pending += self._below(kind, by_input=by_input)
        return found

    def _below(self, kind: ValueObjectType | PartType | RecordType, *, by_input: bool) -> list[Type]:
        plan: ValueObjectPlan | PartPlan | RecordPlan
        match kind:
            case ValueObjectType(ref=ref):
                plan = self.value_objects[ref]
            case RecordType(ref=ref):
                plan = self.records[ref]
            case PartType(aggregate=aggregate, name=name):
                plan = self.parts[aggregate, name]
        return [item.type for item in (plan.inputs.inputs if by_input else plan.members)]


def bare(kind: Type) -> Type:
    """`kind` without optional, array and page around it."""
    while isinstance(kind, OptionalType | ArrayType | PageType):
        kind = kind.of
    return kind
