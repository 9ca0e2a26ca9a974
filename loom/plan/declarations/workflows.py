"""Workflows: their functions, and each create with its steps and its route.

In: one workflow, the planned command records of its context. Out: WorkflowPlan. Never: how a target runs it.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.ir import program as ir
from loom.ir.types import Ref
from loom.plan.code.saves import workflow_steps
from loom.plan.declarations.entities import functions, gates
from loom.plan.http import RequestPlan
from loom.plan.model import RecordPlan, WorkflowCreatePlan, WorkflowPlan
from loom.plan.wire.routes import workflow_route


def workflow(item: ir.Workflow, context: str, records: tuple[RecordPlan, ...]) -> WorkflowPlan:
    inputs = {record.ref: record.inputs for record in records}
    return WorkflowPlan(
        ref=Ref(context=context, name=item.name),
        functions=functions(item.functions),
        creates=tuple(_workflow_create(item, create, inputs) for create in item.creates),
    )


def _workflow_create(
    workflow: ir.Workflow, create: ir.WorkflowCreate, records: Mapping[Ref, RequestPlan]
) -> WorkflowCreatePlan:
    flattened = records[create.record] if create.record else None
    return WorkflowCreatePlan(
        name=create.name,
        log_name=workflow.name,
        parameters=create.parameters,
        record=create.record,
        returns=create.returns,
        requires=gates(create.requires),
        transactional=workflow.transactional,
        isolation=workflow.isolation,
        body=workflow_steps(create.body),
        route=workflow_route(workflow, create, flattened),
    )
