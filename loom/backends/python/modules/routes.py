"""The routes of an aggregate, each a function of FastAPI.

In: an AggregatePlan. Out: functions; the order of steps behind a route is the Plan's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.reads import find_method
from loom.backends.python.code.steps import raised
from loom.backends.python.modules.domain import admit_name, declared_members
from loom.backends.python.modules.messages import Messages, from_input, messages_module, routes_file
from loom.backends.python.text.blocks import Class, Function, block
from loom.backends.python.text.patterns import each, filled
from loom.backends.python.text.shapes import Brackets, Call, Row, behind, keyword, member, quoted
from loom.backends.python.text.statements import Signature, Statement, Targets
from loom.emit.index import ServiceIndex
from loom.ir.statements import Cardinality
from loom.ir.types import AggregateType, IdType, NothingType
from loom.plan.http import InputPlan, RequestPlan, RouteKind, RoutePlan, RouteStep
from loom.plan.model import AggregatePlan
from loom.plan.names import AGGREGATE_CREATED

_METHODS = {"GET": "get", "POST": "post", "DELETE": "delete"}
_PAGE_ARGUMENTS = (
    "sort=sort",
    "descending=page.descending",
    "limit=page.page_size",
    behind("offset=", filled("page.offset()")),
)


def request_class(route: RoutePlan) -> str:
    """The name of the request model of a route."""
    return f"{spelling.type_name(route.operation_id).rstrip('_')}Request"


def request_classes(plan: AggregatePlan, messages: Messages) -> Iterator[Class]:
    """The request models of an aggregate's routes; one without members is shared."""
    for route in plan.routes:
        if route.request is not None and route.request.inputs:
            yield messages.request(request_class(route), route.request)


class AggregateRoutes:
    """Functions of `<aggregate>_routes.py`."""

    def __init__(self, index: ServiceIndex, plan: AggregatePlan) -> None:
        self.index = index
        self.plan = plan
        self.messages = Messages(index, f"app.http.{routes_file(plan.ref)}")
        self.needs = self.messages.needs
        self.needs.update(
            {
                "fastapi:APIRouter",
                "fastapi:Response",
                "app.http.json_route:JsonRoute",
                "app.persistence.database:DatabaseDependency",
            }
        )
        self.instance = spelling.instance_name(plan.ref.name)
        self.collection = spelling.collection_name(plan.ref.name)

    def functions(self) -> Iterator[Function]:
        for route in self.plan.routes:
            yield self.function(route)

    def function(self, route: RoutePlan) -> Function:
        database = ["database: DatabaseDependency"] if route.kind is not RouteKind.PREPARE else []
        parameters = [*database, *self.path_parameters(route), *self.parameters(route)]
        name = self.function_name(route)
        return Function(
            decorators=(decorator(_METHODS[route.method], route),),
            head=Signature(f"async def {name}", parameters, "Response"),
            body=tuple(self.body(route)),
        )

    def function_name(self, route: RoutePlan) -> str:
        """The operation's; what lists all of the aggregate names many of it."""
        if route.kind is RouteKind.LIST:
            return f"all_{self.collection.rstrip('_')}"
        return spelling.module_name(route.operation_id).rstrip("_")

    def path_parameters(self, route: RoutePlan) -> Iterator[str]:
        if "{id}" in route.path:
            self.needs.update({"fastapi:Path", "typing:Annotated", "app.http.wire:UuidString"})
            kind = types.identifier(IdType(aggregate=self.plan.ref), self.needs)
            yield behind("wanted_id: ", types.annotated(kind, "UuidString", filled('Path(alias="id")')))

    def parameters(self, route: RoutePlan) -> Iterator[str]:
        if route.is_conditional:
            self.needs.update({"app.http.versions:ExpectedVersion", "app.http.versions:check_version"})
            yield "expected: ExpectedVersion"
        if route.request is not None:
            yield f"body: {self.request(route, route.request)}"
        required = [item for item in route.query if item.required]
        yield from map(self.query_parameter, required)
        if route.paging:
            yield "page: PageParameters"
        yield from (self.query_parameter(item) for item in route.query if not item.required)
        if route.paging:
            yield self.sort_parameter()

    def request(self, route: RoutePlan, plan: RequestPlan) -> str:
        if not plan.inputs:
            return self.messages.wire_need("EmptyRequest")
        return self.messages.named(messages_module(self.plan.ref), request_class(route))

    def query_parameter(self, item: InputPlan) -> str:
        self.needs.update({"fastapi:Query", "typing:Annotated"})
        name = spelling.query_name(item.name)
        annotation = self.messages.checked(item, self.messages.query)
        alias = [f"alias={quoted(item.wire)}"] if name != item.wire else []
        is_annotated = isinstance(annotation, Brackets) and annotation.head == "Annotated"
        inner = annotation.items if isinstance(annotation, Brackets) and is_annotated else [annotation]
        kind = types.annotated(*inner, Call("Query", alias))
        if item.default is None:
            return Row(f"{name}: ", kind)
        return Row(f"{name}: ", kind, " = ", self.messages.renderer().line(item.default))

    def sort_parameter(self) -> str:
        self.needs.update(
            {
                "fastapi:Query",
                "typing:Annotated",
                "pydantic:PlainValidator",
                "app.http.paging:PageParameters",
                "app.http.paging:sort_field",
                f"{self.repository_module()}:SORTS",
            }
        )
        kind = types.annotated("str", filled("PlainValidator(sort_field(*SORTS))"), filled("Query()"))
        return Row("sort: ", kind, ' = "id"')

    def repository_module(self) -> str:
        context, name = self.plan.ref.context, self.plan.ref.name
        return f"app.persistence.{spelling.folder_name(context)}.{spelling.module_name(name).rstrip('_')}_repository"

    def repository(self) -> str:
        name = f"{spelling.type_name(self.plan.ref.name)}Repository"
        self.needs.add(f"{self.repository_module()}:{name}")
        return filled("{}(work)", name)

    def json(self, value: str) -> str:
        self.needs.add("app.http.responses:json_response")
        return self.messages.json(AggregateType(ref=self.plan.ref), value)

    def tag(self) -> str:
        self.needs.add("app.http.versions:entity_tag")
        return filled("entity_tag({}.version)", self.instance)

    def body(self, route: RoutePlan) -> Iterator[str]:
        match route.kind:
            case RouteKind.CREATE:
                return self.create(route)
            case RouteKind.OPERATION:
                return self.operation(route)
            case RouteKind.DESTROY:
                return self.destroy(route)
            case RouteKind.WORKFLOW:
                raise TypeError("workflows have routes of their own")
            case _:
                return self.reading(route)

    def reading(self, route: RoutePlan) -> Iterator[str]:
        match route.kind:
            case RouteKind.BY_ID:
                return self.by_id()
            case RouteKind.PROBE:
                return self.probe(route)
            case RouteKind.PREPARE:
                return self.prepare(route)
            case _:
                return self.page(route) if route.paging else self.found(route)

    def within(self, *lines: str) -> Iterator[str]:
        yield "async with database.unit_of_work() as work:"
        yield from block(lines)

    def create(self, route: RoutePlan) -> Iterator[str]:
        self.needs.update({"app.log:log", "app.http.responses:json_response"})
        kind = types.aggregate(self.plan.ref, self.needs)
        yield from self.within(
            Statement(f"{self.instance} = ", Call(f"{kind}.create", body_arguments(route.inputs))),
            Statement("", filled("await {}.save({})", self.repository(), self.instance)),
        )
        named = [f"aggregate={quoted(self.plan.ref.name)}", f"id={self.instance}.id"]
        yield Statement("", Call("log", [quoted("info"), quoted(AGGREGATE_CREATED), *named]))
        answer = f'json_response({{{{"id": {{}}.id}}}}, {route.success}, {{}})'
        yield Statement("return ", filled(answer, self.instance, self.tag()))

    def load(self) -> str:
        return Statement(f"{self.instance} = ", filled("await {}.get_by_id(wanted_id)", self.repository()))

    def by_id(self) -> Iterator[str]:
        yield from self.within(self.load())
        yield self.tagged(self.json(self.instance))

    def probe(self, route: RoutePlan) -> Iterator[str]:
        self.needs.add("app.http.responses:json_response")
        yield from self.within(self.load())
        probe = f"can_{spelling.member_name(route.member).rstrip('_')}"
        yield Statement("return ", filled('json_response({{"allowed": {}()}})', f"{self.instance}.{probe}"))

    def page(self, route: RoutePlan) -> Iterator[str]:
        arguments = [*(spelling.query_name(item.name) for item in route.query), *_PAGE_ARGUMENTS]
        call = Call(member(self.repository(), find_method(route.member) if route.member else "page"), arguments)
        yield from self.within(Statement(Row(Targets("found", "total"), " = "), behind("await ", call)))
        items = each(self.json("item"), "found")
        yield Statement("return ", filled("json_response(page.answer({}, total))", items))

    def found(self, route: RoutePlan) -> Iterator[str]:
        find = self.plan.find(route.member)
        arguments = [spelling.query_name(item.name) for item in route.query]
        call = Call(member(self.repository(), find_method(find.name)), arguments)
        yield from self.within(Statement("found = ", behind("await ", call)))
        if not route.is_versioned:
            yield Statement("return ", filled("json_response({})", each(self.json("item"), "found")))
            return
        if find.cardinality is Cardinality.OPTIONAL:
            yield "if found is None:"
            yield from block([raised("NotFoundError", find.missing_detail, self.needs)])
        self.needs.add("app.http.versions:entity_tag")
        yield Statement("return ", filled("json_response({}, headers=entity_tag(found.version))", self.json("found")))

    def tagged(self, answer: str) -> Statement:
        """Answers with the version of the instance."""
        self.needs.add("app.http.responses:json_response")
        return Statement("return ", filled("json_response({}, headers={})", answer, self.tag()))

    def prepare(self, route: RoutePlan) -> Iterator[str]:
        self.needs.add("app.http.responses:json_response")
        entries = []
        for item in route.prefill:
            value = "None" if item.default is None else self.messages.renderer().line(item.default)
            entries.append(behind(f"{quoted(item.wire)}: ", self.messages.json(item.type, value)))
        yield Statement("return ", filled("json_response({})", Brackets("", entries, "{}")))

    def operation(self, route: RoutePlan) -> Iterator[str]:
        self.needs.add("app.metrics:count_operation")
        plan = self.plan.operation(route.member)
        answers = not isinstance(plan.returns, NothingType)
        call = Call(f"{self.instance}.{spelling.member_name(plan.name)}", body_arguments(route.inputs))
        admit = f"{self.instance}.{admit_name(plan.name, declared_members(self.plan))}"
        admitted = Call(admit, body_arguments(route.inputs_for(plan.admission or ())))
        yield from self.changed(route, Statement("result = " * answers, call), Statement("", admitted))
        yield self.counted(plan.name)
        if answers:
            yield self.tagged(self.messages.json(plan.returns, "result"))
        else:
            yield Statement("return ", filled("Response(status_code=204, headers={})", self.tag()))

    def destroy(self, route: RoutePlan) -> Iterator[str]:
        yield from self.changed(route, f"{self.instance}.destroy()")
        yield "return Response(status_code=204)"

    def changed(self, route: RoutePlan, call: str, admit: str = "") -> Iterator[str]:
        """The steps of the route, in the order of the Plan."""
        repository = f"{self.instance.rstrip('_')}_repository"
        made = {
            RouteStep.LOAD: Statement(f"{self.instance} = ", filled("await {}.get_by_id(wanted_id)", repository)),
            RouteStep.ADMIT: admit,
            RouteStep.CALL: call,
            RouteStep.CHECK_VERSION: Statement("", filled("check_version(expected, {}.version)", self.instance)),
            RouteStep.SAVE: Statement("", filled("await {}.save({})", repository, self.instance)),
            RouteStep.DELETE: Statement("", filled("await {}.delete({})", repository, self.instance)),
        }
        steps = [made[step] for step in route.steps]
        return self.within(Statement(f"{repository} = ", self.repository()), *steps)

    def counted(self, operation: str) -> Statement:
        texts = (quoted(self.plan.ref.name), quoted(operation))
        return Statement("", filled("count_operation({}, {}, {}.id)", *texts, self.instance))


def decorator(method: str, route: RoutePlan) -> Statement:
    """Makes a function the route's."""
    operation = f"operation_id={quoted(route.operation_id)}"
    return Statement("@", Call(f"router.{method}", [quoted(route.path), operation]))


def body_arguments(inputs: Iterable[InputPlan]) -> list[str]:
    """Arguments out of the body of a request."""
    return [keyword(spelling.local_name(item.name), from_input(item, "body")) for item in inputs]
