"""Which reads the workflows of a service really use, so that nothing else is emitted.

In: a ServicePlan. Out: questions about its steps.
"""

from __future__ import annotations

from loom.base import descendants
from loom.ir.statements import Cardinality, Read, ReadKind
from loom.ir.types import Ref
from loom.plan.model import ServicePlan


class Reads:
    """The repository reads of all workflows, found once."""

    def __init__(self, plan: ServicePlan) -> None:
        bodies = [create.body for context in plan.contexts for flow in context.workflows for create in flow.creates]
        self._reads = [item for item in descendants(*bodies) if isinstance(item, Read)]

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
