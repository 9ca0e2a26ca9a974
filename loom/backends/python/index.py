"""Which values of one service stand in requests, and which in answers.

In: a ServicePlan. Out: the lookups of every backend, and these.
"""

from __future__ import annotations

from functools import cached_property

from loom.emit.index import ServiceIndex, Structured, bare
from loom.ir.types import Type
from loom.plan.http import InputPlan


class Index(ServiceIndex):
    """One service, by reference."""

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
            if kind not in found and isinstance(kind, Structured):
                found.add(kind)
                plan = self.declaration(kind)
                pending += [item.type for item in (plan.inputs.inputs if by_input else plan.members)]
        return found
