"""Gates that a request must pass before values are made of it.

In: operations and workflow creates. Out: which of them need it, and what their gates read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loom.base import descendants
from loom.ir.expressions import Field, Local
from loom.ir.program import Parameter
from loom.ir.types import Type
from loom.plan.http import InputPlan
from loom.plan.model import GatePlan, OperationPlan, WorkflowCreatePlan

Refused = Callable[[Type], bool]
"""Whether a value of the right shape can still break a rule of its kind."""


def is_admitted_first(plan: OperationPlan | WorkflowCreatePlan, is_refused: Refused) -> bool:
    """Whether values of a request can break rules of their own, which only those learn whom the gates let in."""
    match plan:
        case OperationPlan(private=private, requires=requires, when=when):
            gated = not private and (bool(requires) or when is not None)
            return gated and any(is_refused(item.type) for item in plan.parameters)
        case WorkflowCreatePlan(requires=requires):
            return bool(requires) and any(is_refused(item.type) for item in _inputs(plan))


def parameters_read(parameters: Iterable[Parameter], gates: Iterable[GatePlan]) -> list[Parameter]:
    """The parameters that gates read."""
    read = {node.name for node in descendants(*gates) if isinstance(node, Local)}
    return [item for item in parameters if item.name in read]


def inputs_read(plan: WorkflowCreatePlan) -> list[InputPlan]:
    """The inputs that the gates of a workflow read, be they parameters or members of its record."""
    nodes = list(descendants(*plan.requires))
    names = {node.name for node in nodes if isinstance(node, Local)}
    if plan.record is not None:
        names = {node.name for node in nodes if isinstance(node, Field) and isinstance(node.receiver, Local)}
    return [item for item in _inputs(plan) if item.name in names]


def _inputs(plan: WorkflowCreatePlan) -> tuple[InputPlan, ...]:
    return plan.route.request.inputs if plan.route.request else ()
