"""Workflows: a function for each command create, and its route.

In: the workflows of a context. Out: functions of `workflows_routes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer, workflow_function
from loom.backends.python.code.steps import Steps, block
from loom.backends.python.code.workflow_steps import WorkflowSteps
from loom.backends.python.index import Index
from loom.backends.python.modules.domain import admit_name
from loom.backends.python.modules.messages import Messages, domain_value
from loom.backends.python.text.formatting import quoted
from loom.backends.python.views import ClassView, MethodView
from loom.ir.expressions import Field, Local
from loom.ir.program import Isolation
from loom.ir.types import NothingType, RecordType, Ref
from loom.plan.code.gates import inputs_read, is_admitted_first
from loom.plan.http import RequestPlan
from loom.plan.model import FunctionPlan, WorkflowCreatePlan, WorkflowPlan

HOME = "app.http.workflows_routes"
_LEVELS = {
    Isolation.READ_UNCOMMITTED: "READ UNCOMMITTED",
    Isolation.READ_COMMITTED: "READ COMMITTED",
    Isolation.REPEATABLE_READ: "REPEATABLE READ",
    Isolation.SERIALIZABLE: "SERIALIZABLE",
}


class WorkflowRoutes:
    """Classes and functions of `workflows_routes.py`."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.messages = Messages(index, HOME)
        self.needs = self.messages.needs
        self.needs.update(
            {
                "fastapi:APIRouter",
                "fastapi:Response",
                "app.http.json_route:JsonRoute",
                "app.log:log",
                "app.persistence.database:DatabaseDependency",
                "app.persistence.database:UnitOfWork",
            }
        )

    def classes(self, plan: WorkflowPlan) -> Iterator[ClassView]:
        for create in plan.creates:
            name = self.request_name(plan, create)
            if create.record is not None:
                yield self.messages.record_input(self.index.records[create.record], name)
            elif create.route.request is not None and create.route.request.inputs:
                yield self.messages.request(name, create.route.request)

    def functions(self, plan: WorkflowPlan) -> Iterator[MethodView]:
        for function in plan.functions:
            yield self.helper(plan, function)
        for create in plan.creates:
            if is_admitted_first(create, self.index.is_refused):
                yield self.admission(plan, create)
            yield self.workflow(plan, create)
            yield self.route(plan, create)

    def request_name(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> str:
        return f"{spelling.type_name(entry_name(plan, create)).rstrip('_')}Request"

    def renderer(self) -> PythonRenderer:
        renderer = PythonRenderer(self.index)
        renderer.needs = self.needs
        return renderer

    def helper(self, plan: WorkflowPlan, function: FunctionPlan) -> MethodView:
        parameters = ", ".join(
            f"{spelling.local_name(item.name)}: {types.annotation(item.type, self.needs)}"
            for item in function.parameters
        )
        returns = types.annotation(function.returns, self.needs)
        return MethodView(
            head=f"def {workflow_function(plan.ref.name, function.name)}({parameters}) -> {returns}:",
            body=tuple(Steps(self.renderer(), {}).lines(function.body)),
        )

    def workflow(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> MethodView:
        steps = WorkflowSteps(self.renderer(), create)
        gates = self.gates(plan, create, steps)
        lines = steps.lines(create.body)
        parameters = [
            f"{spelling.local_name(item.name)}: {types.annotation(item.type, self.needs)}" for item in create.parameters
        ]
        keywords = f", *, {', '.join(parameters)}" if parameters else ""
        returns = types.annotation(create.returns, self.needs)
        return MethodView(
            head=f"async def {entry_function(plan, create)}(work: UnitOfWork{keywords}) -> {returns}:",
            body=(*gates, *(self.repository(*item) for item in steps.repositories.items()), *lines) or ("pass",),
        )

    def gates(self, plan: WorkflowPlan, create: WorkflowCreatePlan, steps: Steps) -> list[str]:
        if not is_admitted_first(create, self.index.is_refused):
            return refusals(create, steps)
        record = "" if create.record is None else f"{spelling.local_name(create.parameters[0].name)}."
        read = [(spelling.local_name(item.name), spelling.member_name(item.name)) for item in inputs_read(create)]
        arguments = (f"{name}={record}{member if record else name}" for name, member in read)
        return [f"{admit_name(entry_name(plan, create))}({', '.join(arguments)})"]

    def admission(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> MethodView:
        """The gates as a function, for the route, which makes the values after them."""
        renderer = _Members(self.index)
        renderer.needs = self.needs
        parameters = [
            f"{spelling.local_name(item.name)}: {types.annotation(item.type, self.needs)}"
            for item in inputs_read(create)
        ]
        keywords = f"*, {', '.join(parameters)}" if parameters else ""
        return MethodView(
            head=f"def {admit_name(entry_name(plan, create))}({keywords}) -> None:",
            body=tuple(refusals(create, Steps(renderer if create.record else self.renderer(), {}))),
        )

    def admitted(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> list[str]:
        if not is_admitted_first(create, self.index.is_refused):
            return []
        arguments = (
            f"{spelling.local_name(item.name)}={domain_value(item.type, f'body.{spelling.request_name(item.name)}')}"
            for item in inputs_read(create)
        )
        return [f"{admit_name(entry_name(plan, create))}({', '.join(arguments)})"]

    def repository(self, aggregate: Ref, local: str) -> str:
        module = spelling.module_name(aggregate.name).rstrip("_")
        name = f"{spelling.type_name(aggregate.name)}Repository"
        home = f"app.persistence.{spelling.module_name(aggregate.context)}.{module}_repository"
        return f"{local} = {types.named(home, name, self.needs)}(work)"

    def route(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> MethodView:
        request = create.route.request
        body = [f"body: {self.request(plan, create, request)}"] if request is not None else []
        parameters = ", ".join(["database: DatabaseDependency", *body])
        route = create.route
        return MethodView(
            decorators=(f"@router.post({quoted(route.path)}, operation_id={quoted(route.operation_id)})",),
            head=f"async def run_{entry_function(plan, create)}({parameters}) -> Response:",
            body=tuple(self.lines(plan, create)),
        )

    def request(self, plan: WorkflowPlan, create: WorkflowCreatePlan, request: RequestPlan) -> str:
        if not request.inputs and create.record is None:
            return self.messages.wire_need("EmptyRequest")
        return self.request_name(plan, create)

    def lines(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> Iterator[str]:
        """The order of a workflow's route: start, body, commit and drain, completion, answer."""
        answers = not isinstance(create.returns, NothingType)
        name = quoted(create.log_name)
        arguments = ", ".join(["work", *self.arguments(create)])
        call = f"{entry_function(plan, create)}({arguments})"
        bound = "result = " * answers
        yield f'log("info", "workflow_started", workflow={name})'
        yield from self.admitted(plan, create)
        if create.transactional:
            level = f", {quoted(_LEVELS[create.isolation])}" if create.isolation is not None else ""
            yield f"{bound}await database.in_transaction(lambda work: {call}{level})"
        else:
            yield "async with database.unit_of_work() as work:"
            yield from block([f"{bound}await {call}"])
        yield f'log("info", "workflow_completed", workflow={name})'
        if answers:
            self.needs.add("app.http.responses:json_response")
            yield f"return json_response({self.messages.json(create.returns, 'result')})"
        else:
            yield "return Response(status_code=204)"

    def arguments(self, create: WorkflowCreatePlan) -> Iterator[str]:
        inputs = {item.name: item for item in create.route.request.inputs} if create.route.request else {}
        for item in create.parameters:
            if isinstance(item.type, RecordType):
                yield f"{spelling.local_name(item.name)}=body.value()"
            else:
                value = domain_value(inputs[item.name].type, f"body.{spelling.request_name(item.name)}")
                yield f"{spelling.local_name(item.name)}={value}"


class _Members(PythonRenderer):
    """Gates over members of a record that has not been made yet."""

    def field(self, e: Field) -> str:
        return spelling.local_name(e.name) if isinstance(e.receiver, Local) else super().field(e)


def refusals(create: WorkflowCreatePlan, steps: Steps) -> list[str]:
    return [line for gate in create.requires for line in steps.refuse(gate.condition, "ForbiddenError", gate.detail)]


def entry_name(plan: WorkflowPlan, create: WorkflowCreatePlan) -> str:
    return f"{create.name}_{plan.ref.name}" if create.name else plan.ref.name


def entry_function(plan: WorkflowPlan, create: WorkflowCreatePlan) -> str:
    return f"{spelling.module_name(entry_name(plan, create)).rstrip('_')}_workflow"
