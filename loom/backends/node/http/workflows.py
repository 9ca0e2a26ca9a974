"""Workflows: one function per command, and the routes that run them.

In: workflows of all hosted contexts. Out: the view of src/http/workflows.ts.
Never: where a save stands (the Plan has placed every one).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.steps import ERRORS, Steps
from loom.backends.node.code.types import Types
from loom.backends.node.database.repository import read_method, repository_class, repository_module
from loom.backends.node.domain import event_union, events_module, imports_of, typed
from loom.backends.node.http.requests import Requests
from loom.backends.node.model import Model
from loom.backends.node.spelling import domain_module, joined, quoted, type_name
from loom.backends.node.text import shapes
from loom.backends.node.views import RoutesView
from loom.base import camel, plural, words
from loom.emit.renderer import Code
from loom.ir.expressions import Expr
from loom.ir.statements import CreateInstance, Load, NotFound, Read
from loom.ir.types import NothingType
from loom.plan.code.walk import every_step, mentions
from loom.plan.http import InputPlan
from loom.plan.model import ContextPlan, FunctionPlan, WorkflowCreatePlan, WorkflowPlan
from loom.plan.names import WORKFLOW_COMPLETED, WORKFLOW_STARTED
from loom.plan.steps import DeleteStep, ForEachStep, IfPresentStep, Save, Step, Track, Tracked

MODULE = "src/http/workflows"


def uses_events(model: Model, contexts: Iterable[ContextPlan]) -> bool:
    """Whether the routes of the workflows need the dispatcher."""
    creates = [create for context in contexts for workflow in context.workflows for create in workflow.creates]
    return any(create.transactional or model.raises(create) for create in creates)


def workflows_view(model: Model, contexts: Sequence[ContextPlan]) -> RoutesView:
    renderer = NodeRenderer(model)
    printer = _Workflows(renderer)
    for context in contexts:
        for workflow in context.workflows:
            printer.workflow(context, workflow)
    renderer.need("hono", "Hono")
    types = Types(renderer.needs)
    types.erased("src/http/requests", "HttpEnvironment")
    types.erased("src/db/client", "Connection")
    if uses_events(model, contexts):
        types.erased("src/events/dispatcher", "EventDispatcher")
    return RoutesView(
        function="allWorkflowRoutes",
        parameters=f"db: Connection{', events: EventDispatcher' if uses_events(model, contexts) else ''}",
        items=tuple(printer.items),
        routes=tuple(map(shapes.indented, printer.routes)),
        imports=imports_of(MODULE, renderer),
    )


class _Workflows:
    def __init__(self, renderer: NodeRenderer) -> None:
        self.renderer = renderer
        self.types = Types(renderer.needs)
        self.requests = Requests(renderer)
        self.items: list[str] = []
        self.routes: list[str] = []

    def workflow(self, context: ContextPlan, plan: WorkflowPlan) -> None:
        self.items += [self.function(plan, item) for item in plan.functions]
        for create in plan.creates:
            self.create(context, create)

    def function(self, plan: WorkflowPlan, item: FunctionPlan) -> str:
        name = f"function {joined(plan.ref.name, item.name)}"
        head = shapes.signature(name, typed(item.parameters, self.types, item.body), self.types.text(item.returns))
        return shapes.method(head, Steps(self.renderer.at("this")).block(item.body))

    def create(self, context: ContextPlan, plan: WorkflowCreatePlan) -> None:
        assert plan.route.request is not None
        name = type_name(plan.route.operation_id)
        request = self.renderer.need(MODULE, f"{name}Request")
        self.items.append(f"const {request} = {self.requests.body(plan.route.request)};")
        inputs = self.inputs(context, plan)
        input_type = self.types.erased(MODULE, f"{name}Input")
        if inputs:
            self.items.append(shapes.block(f"interface {input_type}", [f"readonly {line};" for line in inputs]))
        self.items.append(self.body(context, plan, input_type if inputs else ""))
        self.routes.append(self.route(plan, request))

    def inputs(self, context: ContextPlan, plan: WorkflowCreatePlan) -> list[str]:
        if plan.record is None:
            return [f"{item.name}: {self.types.text(item.type)}" for item in plan.parameters]
        record = next(item for item in context.records if item.ref == plan.record)
        return [f"{field.name}: {self.types.text(field.type)}" for field in record.fields]

    def body(self, context: ContextPlan, plan: WorkflowCreatePlan, input_type: str) -> str:
        own = {item.name: "input" if plan.record else f"input.{item.name}" for item in plan.parameters}
        steps = WorkflowSteps(self.renderer.at("this", own), plan)
        raised: list[str] = []
        if steps.emits:
            union = self.types.erased(events_module(context.name), event_union(context.name))
            raised = [f"const raised: {union}[] = [];"]
        gates = steps.checks("authorize", plan.requires)
        if plan.admission is not None:
            gates = [self.admission(plan, input_type, gates, plan.admission)]
        done = [*raised, *gates, *steps.opened(), *steps.block(plan.body)]
        if isinstance(plan.returns, NothingType):
            done += steps.dispatched()
        parameters = [f"{'db' if steps.repositories else '_db'}: Connection"]
        if input_type:
            reads = any(mentions((*plan.requires, *plan.body), name) for name in own)
            parameters.append(f"{'input' if reads else '_input'}: {input_type}")
        if self.renderer.model.raises(plan):
            parameters.insert(1, "events: EventDispatcher")
        returns = f"Promise<{self.types.text(plan.returns)}>"
        return shapes.method(shapes.signature(f"async function {plan.route.operation_id}", parameters, returns), done)

    def admission(
        self, plan: WorkflowCreatePlan, input_type: str, gates: list[str], read: tuple[InputPlan, ...]
    ) -> str:
        """The gates as a function, and the call of it."""
        name = self.renderer.need(MODULE, joined("admit", plan.route.operation_id))
        if not read:
            self.items.append(shapes.method(f"function {name}(): void", gates))
            return f"{name}();"
        members = " | ".join(quoted(item.name) for item in read)
        head = shapes.signature(f"function {name}", [f"input: Pick<{input_type}, {members}>"], "void")
        self.items.append(shapes.method(head, gates))
        return f"{name}(input);"

    def admitted(self, plan: WorkflowCreatePlan) -> list[str]:
        """The gates, where the values of the request must be made after them."""
        if plan.admission is None:
            return []
        argument = [self.requests.argument(plan.admission, "body")] if plan.admission else []
        return [f"{shapes.call(joined('admit', plan.route.operation_id), argument)};"]

    def route(self, plan: WorkflowCreatePlan, schema: str) -> str:
        inputs = plan.route.inputs
        read = self.renderer.need("src/http/requests", "readRequest")
        log = self.renderer.need("src/observability/log", "log")
        bound = "const { body } = " if inputs else ""
        request = f"{bound}await {read}(c, {{ body: {schema} }});"
        started, completed = (
            f"{log}.info({{ event: {quoted(event)}, workflow: {quoted(plan.log_name)} }});"
            for event in (WORKFLOW_STARTED, WORKFLOW_COMPLETED)
        )
        argument = [self.requests.argument(inputs, "body")] if inputs else []
        body = [request, started, *self.admitted(plan), *self.run(plan, argument), completed, self.answer(plan)]
        path = quoted(plan.route.path.removeprefix("/api"))
        return f"routes.post({path}, async (c) => {shapes.braced(body)});"

    def run(self, plan: WorkflowCreatePlan, argument: list[str]) -> list[str]:
        bound = "" if isinstance(plan.returns, NothingType) else "const result = "
        function = plan.route.operation_id
        with_events = self.renderer.model.raises(plan)
        if not plan.transactional:
            given = ["db", "events"] if with_events else ["db"]
            return [f"{bound}{shapes.call(f'await {function}', [*given, *argument])};"]
        retried = self.renderer.need("src/db/transaction", "inRetriedTransaction")
        names = "tx, held" if with_events else "tx"
        arguments = ["db", "events", f"({names}) => {shapes.call(function, [names, *argument])}"]
        if plan.isolation:
            arguments.append(shapes.braces([f"isolationLevel: {quoted(plan.isolation.lower())}"]))
        return [f"{bound}{shapes.call(f'await {retried}', arguments)};"]

    def answer(self, plan: WorkflowCreatePlan) -> str:
        if isinstance(plan.returns, NothingType):
            return f"return {self.renderer.need('src/http/responses', 'respondEmpty')}(c);"
        respond = self.renderer.need("src/http/responses", "respondJson")
        return f"return {respond}(c, {shapes.text(self.types.written(plan.returns, 'result'))});"


class WorkflowSteps(Steps):
    """The body of a command: it reads and saves through repositories, and its events go out at the end."""

    def __init__(self, renderer: NodeRenderer, plan: WorkflowCreatePlan) -> None:
        super().__init__(renderer)
        self.emits = plan.emits
        self.tracks = any(isinstance(step, Track) for step in every_step(plan.body))
        self.repositories = {ref: self.bind(camel(plural(words(ref.name)))) for ref in plan.stores}

    def opened(self) -> list[str]:
        """The repositories that the body uses, and what it has to remember."""
        found: list[str] = []
        for ref, name in self.repositories.items():
            repository = self.renderer.need(repository_module(ref), repository_class(ref))
            arguments = "db, events" if self.renderer.model.emits(ref) else "db"
            found.append(f"const {name} = new {repository}({arguments});")
        if self.tracks:
            found.append("const unsaved = new Set<unknown>();")
        return found

    def dispatched(self) -> list[str]:
        return ["await events.dispatch(raised);"] if self.emits else []

    def step(self, step: Step) -> list[str]:
        match step:
            case Load():
                return [self.load(step)]
            case CreateInstance():
                return self.create(step)
            case Save():
                return [self.save(step)]
            case DeleteStep(name=name, aggregate=aggregate):
                return [f"await {self.repositories[aggregate]}.delete({self.renderer.scope.get(name, name)});"]
            case Track():
                return self.track(step)
            case NotFound(detail=detail):
                error = self.renderer.need(ERRORS, "NotFoundError")
                return [f"throw new {error}({quoted(detail)});"]
            case _:
                return super().step(step)

    def track(self, step: Track) -> list[str]:
        """Remembers what has to be stored; a name that was just given is not remembered yet."""
        change = {Tracked.CHANGED: "add", Tracked.DELETED: "delete"}.get(step.state)
        return [f"unsaved.{change}({self.renderer.scope.get(step.name, step.name)});"] if change else []

    def bound_name(self, name: str) -> str:
        spelled = self.bind(name)
        self.renderer.scope[name] = spelled
        return spelled

    def load(self, step: Load) -> str:
        if not self.is_read(step.name):
            return f"{self.read(step.read)};"
        read = shapes.atom(self.read(step.read))
        return shapes.assigned(f"const {self.bound_name(step.name)}", read)

    def read(self, read: Read) -> str:
        name = read_method(read.kind, read.name, read.key, read.cardinality)
        arguments = [self.renderer.argument(argument) for argument in read.arguments]
        return shapes.call(f"await {self.repositories[read.aggregate]}.{name}", arguments)

    def create(self, step: CreateInstance) -> list[str]:
        made = shapes.atom(created(self.renderer, step))
        return [shapes.assigned(f"const {self.bound_name(step.name)}", made)]

    def save(self, step: Save) -> str:
        name = self.renderer.scope.get(step.name, step.name)
        saved = f"await {self.repositories[step.aggregate]}.save({name});"
        if not step.conditional:
            return saved
        return shapes.block(f"if (unsaved.has({name}))", [saved])

    def if_present(self, step: IfPresentStep) -> list[str]:
        """Where absence ends the body, what follows is not nested."""
        if not all(isinstance(item, NotFound) for item in step.otherwise) or not step.otherwise:
            return super().if_present(step)
        name = self.bind(step.name)
        bound = shapes.assigned(f"const {name}", self.present(step))
        missing = shapes.block(f"if ({name} === null)", self.scoped(step.otherwise))
        outer = dict(self.renderer.scope)
        self.renderer.scope[step.name] = name
        done = self.block(step.then)
        self.renderer.scope = outer
        return [bound, missing, *done]

    def present(self, step: IfPresentStep) -> Code:
        return super().present(step) if step.read is None else shapes.atom(self.read(step.read))

    def items(self, step: ForEachStep) -> str:
        return super().items(step) if step.read is None else self.read(step.read)

    def events(self) -> str:
        return "raised"

    def give(self, value: Expr) -> list[str]:
        if not self.emits:
            return super().give(value)
        result = self.fresh("result")
        return [
            shapes.assigned(f"const {result}", self.renderer.code(value)),
            *self.dispatched(),
            f"return {result};",
        ]


def created(renderer: NodeRenderer, step: CreateInstance) -> str:
    """`Aggregate.create({…})`"""
    name = renderer.need(domain_module(step.aggregate), type_name(step.aggregate.name))
    if not step.arguments:
        return f"{name}.create()"
    members = [shapes.member(item.name, renderer.code(item.value)) for item in step.arguments]
    return f"{name}.create({shapes.braces(members)})"
