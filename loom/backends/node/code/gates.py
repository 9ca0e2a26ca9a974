"""Gates that a request must pass before values are made of it.

In: operations and workflow creates. Out: which of them need it, and what their gates read.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.backends.node.model import Model
from loom.backends.node.spelling import joined
from loom.ir.expressions import Field, Local
from loom.ir.program import Parameter
from loom.plan.code.walk import descendants
from loom.plan.model import GatePlan, OperationPlan, WorkflowCreatePlan


def is_admitted_first(model: Model, plan: OperationPlan | WorkflowCreatePlan) -> bool:
    """Whether a request's values can break rules of their own, which only those learn whom the gates let in."""
    match plan:
        case OperationPlan(private=private, requires=requires, when=when):
            gated = not private and (bool(requires) or when is not None)
            return gated and any(model.is_refused(item.type) for item in plan.parameters)
        case WorkflowCreatePlan(requires=requires, route=route):
            inputs = route.request.inputs if route.request else ()
            return bool(requires) and any(model.is_refused(item.type) for item in inputs)


def admit_method(operation: str) -> str:
    """The method that holds the gates of an operation."""
    return joined("admit", operation)


def admission(parameters: Iterable[Parameter], gates: Iterable[GatePlan]) -> list[Parameter]:
    """The parameters that gates read."""
    read = {node.name for node in descendants(*gates) if isinstance(node, Local)}
    return [item for item in parameters if item.name in read]


def members_read(plan: WorkflowCreatePlan) -> list[str]:
    """The inputs that the gates of a workflow read, be they parameters or members of its record."""
    nodes = list(descendants(*plan.requires))
    names = {node.name for node in nodes if isinstance(node, Local)}
    inputs = [item.name for item in (plan.route.request.inputs if plan.route.request else ())]
    if plan.record is None:
        return [name for name in inputs if name in names]
    members = [node.name for node in nodes if isinstance(node, Field) and isinstance(node.receiver, Local)]
    is_whole = len(members) < sum(isinstance(node, Local) for node in nodes)
    return inputs if is_whole else [name for name in inputs if name in members]
