"""The routes of an aggregate: read the request, run the domain in one transaction, answer.

In: an AggregatePlan. Out: the view of its HTTP module. The order of the steps is the Plan's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from loom.backends.node import spelling
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.steps import ERRORS
from loom.backends.node.code.types import Types, http_module
from loom.backends.node.database.repository import find_method, repository_class, repository_module
from loom.backends.node.domain import admit_method, imports_of
from loom.backends.node.http.answers import Answers, aggregate_body, inner_first
from loom.backends.node.http.requests import Requests
from loom.backends.node.model import Model
from loom.backends.node.spelling import domain_module, joined, member_name, quoted, type_name
from loom.backends.node.text import shapes
from loom.backends.node.views import RoutesView
from loom.ir.statements import Cardinality
from loom.ir.types import NothingType
from loom.plan.http import InputPlan, RouteKind, RoutePlan, RouteStep
from loom.plan.model import AggregatePlan, FindPlan, OperationPlan
from loom.plan.names import AGGREGATE_CREATED

RESPONSES = "src/http/responses"
VERSIONS = "src/http/versions"
LOG = "src/observability/log"


def routes_function(plan: AggregatePlan) -> str:
    return joined(plan.ref.name, "routes")


def route_parameters(plan: AggregatePlan) -> str:
    """What the routes need: the dispatcher only where there is something to dispatch."""
    return "db: Connection, events: EventDispatcher" if plan.emits else "db: Connection"


def routes_mount(plan: AggregatePlan) -> str:
    return f"{routes_function(plan)}({'db, events' if plan.emits else 'db'})"


def routes_view(model: Model, plan: AggregatePlan) -> RoutesView:
    return _Routes(model, plan).view()


class _Routes:
    def __init__(self, model: Model, plan: AggregatePlan) -> None:
        self.plan = plan
        self.renderer = NodeRenderer(model)
        self.types = Types(self.renderer.needs)
        self.requests = Requests(self.renderer)
        self.subject = spelling.instance_name(plan.ref.name)
        self.items: list[str] = []

    def need(self, module: str, name: str) -> str:
        return self.renderer.need(module, name)

    def view(self) -> RoutesView:
        answers = Answers(self.renderer)
        answers.derived_module = domain_module(self.plan.ref)
        by_name = {part.name: part for part in self.plan.parts}
        ordered = inner_first(by_name, lambda part: (item.part for item in part.containments))
        parts = [item for part in ordered for item in answers.part(part)]
        self.items = [*parts, *self.by_id()]
        routes = [self.route(item) for item in self.plan.routes]
        self.items.append(aggregate_body(self.renderer, self.plan))
        self.need("hono", "Hono")
        self.types.erased("src/http/requests", "HttpEnvironment")
        self.types.erased("src/db/client", "Connection")
        if self.plan.emits:
            self.types.erased("src/events/dispatcher", "EventDispatcher")
        return RoutesView(
            items=tuple(self.items),
            function=routes_function(self.plan),
            parameters=route_parameters(self.plan),
            routes=tuple(map(shapes.indented, routes)),
            imports=imports_of(http_module(self.plan.ref), self.renderer),
        )

    def by_id(self) -> list[str]:
        if not any("{id}" in route.path for route in self.plan.routes):
            return []
        id_type = self.types.identifier(self.plan.ref)
        schema = f"{self.requests.schema_name('id')}<{id_type}>()"
        z = self.need("zod", "z")
        return [f"const ById = {{ path: {z}.object({{ id: {schema} }}) }};"]

    def route(self, route: RoutePlan) -> str:
        path = route.path.removeprefix("/api").replace("{id}", ":id")
        body = shapes.braced(self.handlers()[route.kind](route))
        return f"routes.{route.method.lower()}({quoted(path)}, async (c) => {body});"

    def handlers(self) -> Mapping[RouteKind, Callable[[RoutePlan], list[str]]]:
        return {
            RouteKind.CREATE: self.create,
            RouteKind.LIST: self.list_all,
            RouteKind.FIND: self.find,
            RouteKind.PREPARE: self.prepare,
            RouteKind.BY_ID: self.read,
            RouteKind.PROBE: self.probe,
            RouteKind.OPERATION: self.operation,
            RouteKind.DESTROY: self.destroy,
        }

    def request(self, names: Sequence[str], shape: Sequence[str]) -> str:
        """`const { path, body } = await readRequest(c, …);`"""
        read = self.need("src/http/requests", "readRequest")
        parts = ["...ById" if item == "ById" and len(shape) > 1 else item for item in shape]
        given = "ById" if parts == ["ById"] else shapes.braces(parts)
        return f"const {shapes.braces(names)} = await {read}(c, {given});"

    def constant(self, name: str, doc: str) -> str:
        """A constant before the routes."""
        name = self.need(http_module(self.plan.ref), name)
        self.items.append(f"const {name} = {doc};")
        return name

    def body_schema(self, route: RoutePlan) -> list[str]:
        if route.request is None:
            return []
        name = f"{type_name(route.operation_id)}Request"
        return [f"body: {self.constant(name, self.requests.body(route.request))}"]

    def repository(self, db: str, events: str) -> str:
        name = self.need(repository_module(self.plan.ref), repository_class(self.plan.ref))
        return f"new {name}({db}, {events})" if self.plan.emits else f"new {name}({db})"

    def load(self) -> list[str]:
        loaded = shapes.call(f"await {self.repository('db', 'events')}.getById", ["path.id"])
        return [self.request(["path"], ["ById"]), shapes.assigned(f"const {self.subject}", shapes.atom(loaded))]

    def json(self, *arguments: str) -> str:
        return f"return {shapes.call(self.need(RESPONSES, 'respondJson'), ['c', *arguments])};"

    def tagged(self) -> str:
        """The answer that shows one aggregate."""
        tag = self.need(VERSIONS, "versionTag")
        body = f"{joined(self.plan.ref.name, 'wire')}({self.subject})"
        return self.json(body, "200", f"{tag}({self.subject}.state.version)")

    def read(self, _route: RoutePlan) -> list[str]:
        return [*self.load(), self.tagged()]

    def probe(self, route: RoutePlan) -> list[str]:
        return [*self.load(), self.json(f"{{ allowed: {self.subject}.{joined('can', route.member)}() }}")]

    def list_all(self, route: RoutePlan) -> list[str]:
        if route.member:
            return self.find(route)
        return self.page(route, "page", [])

    def find(self, route: RoutePlan) -> list[str]:
        plan = self.plan.find(route.member)
        arguments: list[str] = [
            shapes.text(self.requests.converted(item.type, f"query.{item.wire}")) for item in route.query
        ]
        name = find_method(plan.name)
        if plan.cardinality is Cardinality.PAGE:
            return self.page(route, name, arguments)
        read: list[str] = [self.request(["query"], [self.query(route)])] if route.query else []
        call = shapes.call(f"await {self.repository('db', 'events')}.{name}", arguments)
        name = "found" if plan.cardinality is Cardinality.MANY else self.subject
        return [*read, shapes.assigned(f"const {name}", shapes.atom(call)), *self.found(plan)]

    def found(self, plan: FindPlan) -> list[str]:
        match plan.cardinality:
            case Cardinality.MANY:
                return [self.json(f"found.map({joined(self.plan.ref.name, 'wire')})")]
            case Cardinality.OPTIONAL:
                error = self.need(ERRORS, "NotFoundError")
                missing: list[str] = [f"throw new {error}({quoted(plan.missing_detail)});"]
                return [shapes.block(f"if ({self.subject} === null)", missing), self.tagged()]
            case _:
                return [self.tagged()]

    def query(self, route: RoutePlan) -> str:
        name = f"{type_name(route.operation_id)}Query"
        return f"query: {self.constant(name, self.requests.query(route, repository_module(self.plan.ref)))}"

    def page(self, route: RoutePlan, name: str, arguments: list[str]) -> list[str]:
        body = self.need("src/http/paging", "pageBody")
        call = shapes.call(f"await {self.repository('db', 'events')}.{name}", [*arguments, "query"])
        return [
            self.request(["query"], [self.query(route)]),
            shapes.assigned("const { items, total }", shapes.atom(call)),
            self.json(shapes.call(body, [f"items.map({joined(self.plan.ref.name, 'wire')})", "total", "query"])),
        ]

    def prepare(self, route: RoutePlan) -> list[str]:
        """Defaults that only the server knows, in their wire form."""
        values = [(item, self.types.written(item.type, self.prefill(item))) for item in route.prefill]
        return [self.json(shapes.braces([shapes.member(item.wire, value) for item, value in values]))]

    def prefill(self, item: InputPlan) -> str:
        assert item.default is not None
        return self.renderer.at("this").argument(item.default)

    def transaction(self, result: str, body: Sequence[str]) -> str:
        bound = f"const {result} = " if result else ""
        if not self.plan.emits:
            return f"{bound}await db.transaction(async (tx) => {shapes.braced(body)});"
        run = self.need("src/db/transaction", "inTransaction")
        return f"{bound}await {run}(db, events, async (tx, held) => {shapes.braced(body)});"

    def create(self, route: RoutePlan) -> list[str]:
        assert route.request is not None
        name = self.need(domain_module(self.plan.ref), type_name(self.plan.ref.name))
        inputs = route.request.inputs
        argument = [self.requests.argument(inputs, "body")] if inputs else []
        made = shapes.call(f"{name}.create", argument)
        tag = self.need(VERSIONS, "versionTag")
        log = self.need(LOG, "log")
        fields = [f"event: {quoted(AGGREGATE_CREATED)}", f"aggregate: {quoted(self.plan.ref.name)}", "id"]
        return [
            self.request(["body"] if inputs else [], self.body_schema(route)) if inputs else self.empty_body(route),
            self.transaction(
                "created",
                [
                    f"const {self.subject} = {made};",
                    f"await {self.repository('tx', 'held')}.save({self.subject});",
                    f"return {self.subject};",
                ],
            ),
            "const { id, version } = created.state;",
            f"{log}.info({shapes.braces(fields)});",
            self.json("{ id }", str(route.success), f"{tag}(version)"),
        ]

    def empty_body(self, route: RoutePlan) -> str:
        read = self.need("src/http/requests", "readRequest")
        return f"await {read}(c, {shapes.braces(self.body_schema(route))});"

    def operation(self, route: RoutePlan) -> list[str]:
        plan = self.plan.operation(route.member)
        call = shapes.call(f"{self.subject}.{member_name(plan.name)}", self.arguments(route.inputs))
        typed = not isinstance(plan.returns, NothingType)
        done = shapes.assigned("const result", shapes.atom(call)) if typed else f"{call};"
        admit = f"{self.subject}.{admit_method(self.plan, plan.name)}"
        admitted = shapes.call(admit, self.arguments(route.inputs_for(plan.admission or ())))
        version = f"version: {self.subject}.state.version"
        answer = f"return {{ result, {version} }};" if typed else f"return {{ {version} }};"
        return [
            self.request(["path", "body"] if route.inputs else ["path"], ["ById", *self.body_schema(route)]),
            self.transaction("answer", [*self.steps(route, done, f"{admitted};"), answer]),
            *self.counted(plan),
            self.answered(plan),
        ]

    def arguments(self, inputs: Iterable[InputPlan]) -> list[str]:
        return [shapes.text(self.requests.converted(item.type, f"body.{item.wire}")) for item in inputs]

    def steps(self, route: RoutePlan, call: str, admit: str = "") -> list[str]:
        """What the route does in its transaction, in the order of the Plan."""
        made = {
            RouteStep.LOAD: f"const {self.subject} = await repository.getById(path.id);",
            RouteStep.ADMIT: admit,
            RouteStep.CALL: call,
            RouteStep.CHECK_VERSION: f"{self.need(VERSIONS, 'checkVersion')}(c, {self.subject}.state.version);",
            RouteStep.SAVE: f"await repository.save({self.subject});",
            RouteStep.DELETE: f"await repository.delete({self.subject});",
        }
        return [f"const repository = {self.repository('tx', 'held')};", *[made[step] for step in route.steps]]

    def counted(self, plan: OperationPlan) -> list[str]:
        count = self.need("src/observability/metrics", "countOperation")
        return [f"{shapes.call(count, [quoted(self.plan.ref.name), quoted(plan.name), 'path.id'])};"]

    def answered(self, plan: OperationPlan) -> str:
        tag = f"{self.need(VERSIONS, 'versionTag')}(answer.version)"
        if isinstance(plan.returns, NothingType):
            return f"return {self.need(RESPONSES, 'respondEmpty')}(c, {tag});"
        return self.json(shapes.text(self.types.written(plan.returns, "answer.result")), "200", tag)

    def destroy(self, route: RoutePlan) -> list[str]:
        body = self.steps(route, f"{self.subject}.destroy();")
        empty = self.need(RESPONSES, "respondEmpty")
        return [self.request(["path"], ["ById"]), self.transaction("", body), f"return {empty}(c);"]
