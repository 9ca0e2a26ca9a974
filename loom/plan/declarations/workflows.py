"""Workflows: their functions, and each create with its steps and its route.

In: one workflow, the planned command records of its context. Out: WorkflowPlan. Never: how a target runs it.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.base import descendants
from loom.ir import program as ir
from loom.ir.statements import Emit, Read
from loom.ir.types import Ref
from loom.plan.code.gates import Rules, workflow_admission
from loom.plan.code.saves import workflow_steps
from loom.plan.declarations.entities import functions, gates
from loom.plan.http import RequestPlan
from loom.plan.isolation import SQL
from loom.plan.model import RecordPlan, WorkflowCreatePlan, WorkflowPlan
from loom.plan.steps import DeleteStep, Save
from loom.plan.wire.routes import workflow_route


def workflow(item: ir.Workflow, context: str, records: tuple[RecordPlan, ...], rules: Rules) -> WorkflowPlan:
    """`rules` are those of the values that its requests hold."""
    inputs = {record.ref: record.inputs for record in records}
    return WorkflowPlan(
        ref=Ref(context=context, name=item.name),
        functions=functions(item.functions),
        creates=tuple(_workflow_create(item, create, inputs, rules) for create in item.creates),
    )


def _workflow_create(
    workflow: ir.Workflow, create: ir.WorkflowCreate, records: Mapping[Ref, RequestPlan], rules: Rules
) -> WorkflowCreatePlan:
    body, requires = workflow_steps(create.body), gates(create.requires)
    route = workflow_route(workflow, create, records[create.record] if create.record else None)
    nodes = descendants(*body)
    return WorkflowCreatePlan(
        name=create.name,
        log_name=workflow.name,
        parameters=create.parameters,
        record=create.record,
        returns=create.returns,
        requires=requires,
        admission=workflow_admission(requires, route.inputs, rules, is_record=create.record is not None),
        transactional=workflow.transactional,
        isolation=SQL[workflow.isolation] if workflow.isolation else "",
        stores=tuple(dict.fromkeys(node.aggregate for node in nodes if isinstance(node, Read | Save | DeleteStep))),
        emits=any(isinstance(node, Emit) for node in nodes),
        body=body,
        route=route,
    )
