"""Which reads and deletes the workflows and routes of a service really use, so that nothing else is emitted.

In: a ServicePlan. Out: questions about its steps.
"""

from __future__ import annotations

from loom.ir.statements import Cardinality, Read, ReadKind
from loom.ir.types import Ref
from loom.plan.code.walk import descendants
from loom.plan.http import RouteKind
from loom.plan.model import ServicePlan
from loom.plan.steps import DeleteStep


class Reads:
    """The repository reads and deletes of all workflows, found once."""

    def __init__(self, plan: ServicePlan) -> None:
        bodies = [create.body for context in plan.contexts for flow in context.workflows for create in flow.creates]
        items = list(descendants(*bodies))
        self._reads = [item for item in items if isinstance(item, Read)]
        self._deleted = {item.aggregate for item in items if isinstance(item, DeleteStep)}
        self._destroyed = {
            aggregate.ref
            for context in plan.contexts
            for aggregate in context.aggregates
            if any(route.kind is RouteKind.DESTROY for route in aggregate.routes)
        }

    def deletes(self, aggregate: Ref) -> bool:
        return aggregate in self._deleted or aggregate in self._destroyed

    def optional_by_id(self, aggregate: Ref) -> bool:
        return any(
            read.aggregate == aggregate and read.kind is ReadKind.BY_ID and read.cardinality is Cardinality.OPTIONAL
            for read in self._reads
        )

    def key(self, aggregate: Ref, fields: tuple[str, ...], *, optional: bool) -> bool:
        return any(
            read.aggregate == aggregate
            and read.key == fields
            and (read.cardinality is Cardinality.OPTIONAL) == optional
            for read in self._reads
        )
