"""What the workflows of a context do with its repositories.

In: planned workflows. Out: Reads.
Never: what a target calls a method of a repository.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loom.ir.statements import Cardinality, Load, Read, ReadKind
from loom.plan.code.walk import every_step
from loom.plan.model import WorkflowPlan
from loom.plan.steps import DeleteStep, ForEachStep, IfPresentStep

Key = tuple[str, tuple[str, ...]]


class Reads(NamedTuple):
    """Aggregates by name, keys as (aggregate, fields): those found by an id or key that nothing may have, keys that
    must be there, aggregates that are deleted."""

    found_by_id: frozenset[str]
    found_by_key: frozenset[Key]
    required_by_key: frozenset[Key]
    deleted: frozenset[str]

    @property
    def keys(self) -> frozenset[Key]:
        return self.found_by_key | self.required_by_key


def reads_of(workflows: Iterable[WorkflowPlan]) -> Reads:
    steps = [step for workflow in workflows for create in workflow.creates for step in every_step(create.body)]
    reads = [step.read for step in steps if isinstance(step, Load | ForEachStep | IfPresentStep) and step.read]
    optional = [read for read in reads if read.cardinality is Cardinality.OPTIONAL]
    return Reads(
        found_by_id=frozenset(read.aggregate.name for read in optional if read.kind is ReadKind.BY_ID),
        found_by_key=_keys(optional),
        required_by_key=_keys(read for read in reads if read.cardinality is not Cardinality.OPTIONAL),
        deleted=frozenset(step.aggregate.name for step in steps if isinstance(step, DeleteStep)),
    )


def _keys(reads: Iterable[Read]) -> frozenset[Key]:
    return frozenset((read.aggregate.name, read.key) for read in reads if read.kind is ReadKind.BY_KEY)
