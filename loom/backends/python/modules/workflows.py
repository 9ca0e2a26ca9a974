"""Workflows: a function for each command create, and its route.

In: the workflows of a context. Out: functions of `workflows_routes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer, workflow_function
from loom.backends.python.code.steps import Steps
from loom.backends.python.code.workflow_steps import WorkflowSteps
from loom.backends.python.modules.domain import admit_name, module_function
from loom.backends.python.modules.messages import Messages, from_input
from loom.backends.python.modules.routes import body_arguments, decorator
from loom.backends.python.text.blocks import Class, Function, block
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import Call, behind, keyword, quoted
from loom.backends.python.text.statements import Signature, Statement
from loom.emit.index import ServiceIndex
from loom.ir.expressions import Field, Local
from loom.ir.types import NothingType, RecordType, Ref
from loom.plan.http import InputPlan, RequestPlan
from loom.plan.model import FunctionPlan, WorkflowCreatePlan, WorkflowPlan
from loom.plan.names import WORKFLOW_COMPLETED, WORKFLOW_STARTED

HOME = "app.http.workflows_routes"


class WorkflowRoutes:
    """Classes and functions of `workflows_routes.py`."""

    def __init__(self, index: ServiceIndex) -> None:
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

    def classes(self, plan: WorkflowPlan) -> Iterator[Class]:
        for create in plan.creates:
            name = self.request_name(plan, create)
            if create.record is not None:
                yield self.messages.record_input(self.index.records[create.record], name)
            elif create.route.request is not None and create.route.inputs:
                yield self.messages.request(name, create.route.request)

    def functions(self, plan: WorkflowPlan) -> Iterator[Function]:
        for function in plan.functions:
            yield self.function(plan, function)
        for create in plan.creates:
            if create.admission is not None:
                yield self.admission(plan, create, create.admission)
            yield self.workflow(plan, create)
            yield self.route(plan, create)

    def request_name(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> str:
        return f"{spelling.type_name(entry_name(plan, create)).rstrip('_')}Request"

    def renderer(self) -> PythonRenderer:
        return PythonRenderer(self.index, self.needs)

    def function(self, plan: WorkflowPlan, function: FunctionPlan) -> Function:
        return module_function(workflow_function(plan.ref.name, function.name), function, self.renderer())

    def workflow(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> Function:
        steps = WorkflowSteps(self.renderer(), create)
        gates = self.gates(plan, create, steps)
        lines = steps.lines(create.body)
        parameters = types.parameters(create.parameters, self.needs)
        texts = ["work: UnitOfWork", *["*"][: len(parameters)], *parameters]
        returns = types.annotation(create.returns, self.needs)
        return Function(
            head=Signature(f"async def {entry_function(plan, create)}", texts, returns),
            body=(*gates, *(self.repository(*item) for item in steps.repositories.items()), *lines) or ("pass",),
        )

    def gates(self, plan: WorkflowPlan, create: WorkflowCreatePlan, steps: Steps) -> list[str]:
        if create.admission is None:
            return steps.refusals(create.requires, "ForbiddenError")
        record = "" if create.record is None else f"{spelling.local_name(create.parameters[0].name)}."
        read = [(spelling.local_name(item.name), spelling.member_name(item.name)) for item in create.admission]
        arguments = [f"{name}={record}{member if record else name}" for name, member in read]
        return [Statement("", Call(admit_name(entry_name(plan, create)), arguments))]

    def admission(self, plan: WorkflowPlan, create: WorkflowCreatePlan, read: tuple[InputPlan, ...]) -> Function:
        """The gates as a function, for the route, which makes the values after them."""
        parameters = types.parameters(read, self.needs)
        steps = Steps(_Members(self.index, self.needs) if create.record else self.renderer(), {})
        return Function(
            head=Signature(
                f"def {admit_name(entry_name(plan, create))}", [*["*"][: len(parameters)], *parameters], "None"
            ),
            body=tuple(steps.refusals(create.requires, "ForbiddenError")),
        )

    def admitted(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> list[str]:
        if create.admission is None:
            return []
        return [Statement("", Call(admit_name(entry_name(plan, create)), body_arguments(create.admission)))]

    def repository(self, aggregate: Ref, local: str) -> str:
        module = spelling.module_name(aggregate.name).rstrip("_")
        name = f"{spelling.type_name(aggregate.name)}Repository"
        home = f"app.persistence.{spelling.folder_name(aggregate.context)}.{module}_repository"
        return Statement(f"{local} = ", filled("{}(work)", types.named(home, name, self.needs)))

    def route(self, plan: WorkflowPlan, create: WorkflowCreatePlan) -> Function:
        request = create.route.request
        body = [f"body: {self.request(plan, create, request)}"] if request is not None else []
        parameters = ["database: DatabaseDependency", *body]
        return Function(
            decorators=(decorator("post", create.route),),
            head=Signature(f"async def run_{entry_function(plan, create)}", parameters, "Response"),
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
        call = Call(entry_function(plan, create), ["work", *self.arguments(create)])
        bound = "result = " * answers
        yield logged(WORKFLOW_STARTED, name)
        yield from self.admitted(plan, create)
        if create.transactional:
            level = [quoted(create.isolation)] if create.isolation else []
            done = Call("database.in_transaction", [filled("lambda work: {}", call), *level])
            yield Statement(bound, behind("await ", done))
        else:
            yield "async with database.unit_of_work() as work:"
            yield from block([Statement(bound, behind("await ", call))])
        yield logged(WORKFLOW_COMPLETED, name)
        if answers:
            self.needs.add("app.http.responses:json_response")
            yield Statement("return ", filled("json_response({})", self.messages.json(create.returns, "result")))
        else:
            yield "return Response(status_code=204)"

    def arguments(self, create: WorkflowCreatePlan) -> Iterator[str]:
        inputs = {item.name: item for item in create.route.inputs}
        for item in create.parameters:
            if isinstance(item.type, RecordType):
                yield keyword(spelling.local_name(item.name), Call("body.value", []))
            else:
                yield keyword(spelling.local_name(item.name), from_input(inputs[item.name], "body"))


class _Members(PythonRenderer):
    """Gates over members of a record that has not been made yet."""

    def field(self, e: Field) -> str:
        return spelling.local_name(e.name) if isinstance(e.receiver, Local) else super().field(e)


def logged(event: str, workflow: str) -> Statement:
    return Statement("", filled('log("info", {}, workflow={})', quoted(event), workflow))


def entry_name(plan: WorkflowPlan, create: WorkflowCreatePlan) -> str:
    return f"{create.name}_{plan.ref.name}" if create.name else plan.ref.name


def entry_function(plan: WorkflowPlan, create: WorkflowCreatePlan) -> str:
    return f"{spelling.module_name(entry_name(plan, create)).rstrip('_')}_workflow"
