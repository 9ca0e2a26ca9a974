"""The routes of an aggregate, each a function of FastAPI.

In: an AggregatePlan. Out: functions; the order of steps behind a route is the Plan's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.reads import find_method
from loom.backends.python.code.steps import INDENT, block
from loom.backends.python.index import Index
from loom.backends.python.modules.domain import admit_name, declared_members
from loom.backends.python.modules.messages import Messages, domain_value, messages_module, routes_file
from loom.backends.python.text.formatting import quoted
from loom.backends.python.views import ClassView, MethodView
from loom.ir.statements import Cardinality
from loom.ir.types import AggregateType, IdType, NothingType
from loom.plan.code.gates import is_admitted_first, parameters_read
from loom.plan.http import InputPlan, RequestPlan, RouteKind, RoutePlan
from loom.plan.model import AggregatePlan, FindPlan, OperationPlan

_METHODS = {"GET": "get", "POST": "post", "DELETE": "delete"}
_PAGE_ARGUMENTS = "sort, descending=page.descending, limit=page.page_size, offset=page.offset()"


def request_class(route: RoutePlan, name: str) -> str:
    """The name of the request model of a route."""
    verb = "create" if route.kind is RouteKind.CREATE else route.member
    return f"{spelling.type_name(f'{verb}_{name}').rstrip('_')}Request"


def request_classes(index: Index, plan: AggregatePlan, messages: Messages) -> Iterator[ClassView]:
    """The request models of an aggregate's routes; one without members is shared."""
    for route in plan.routes:
        if route.request is not None and route.request.inputs:
            yield messages.request(request_class(route, plan.ref.name), route.request)


def inputs_of(route: RoutePlan) -> tuple[InputPlan, ...]:
    return route.request.inputs if route.request else ()


def is_annotated(annotation: str) -> bool:
    """Whether the whole of it is one `Annotated[…]`, so that more can be added to it."""
    return annotation.startswith("Annotated[") and annotation.endswith("]")


class AggregateRoutes:
    """Functions of `<aggregate>_routes.py`."""

    def __init__(self, index: Index, plan: AggregatePlan) -> None:
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

    def functions(self) -> Iterator[MethodView]:
        for route in self.plan.routes:
            yield self.function(route)

    def function(self, route: RoutePlan) -> MethodView:
        database = ["database: DatabaseDependency"] if route.kind is not RouteKind.PREPARE else []
        parameters = [*database, *self.path_parameters(route), *self.parameters(route)]
        name = self.function_name(route)
        return MethodView(
            decorators=(self.decorator(route),),
            head=f"async def {name}({', '.join(parameters)}) -> Response:",
            body=tuple(self.body(route)),
        )

    def decorator(self, route: RoutePlan) -> str:
        return f"@router.{_METHODS[route.method]}({quoted(route.path)}, operation_id={quoted(route.operation_id)})"

    def function_name(self, route: RoutePlan) -> str:
        agg = spelling.module_name(self.plan.ref.name).rstrip("_")
        member = spelling.module_name(route.member).rstrip("_") if route.member else ""
        match route.kind:
            case RouteKind.CREATE | RouteKind.DESTROY | RouteKind.PREPARE:
                return f"{route.kind.value}_{agg}"
            case RouteKind.LIST:
                return f"all_{self.collection.rstrip('_')}"
            case RouteKind.BY_ID:
                return f"get_{agg}_by_id"
            case RouteKind.PROBE:
                return f"can_{member}_{agg}"
            case RouteKind.OPERATION | RouteKind.FIND | RouteKind.WORKFLOW:
                return f"{member}_{agg}"
        assert_never(route.kind)

    def path_parameters(self, route: RoutePlan) -> Iterator[str]:
        if "{id}" in route.path:
            self.needs.update({"fastapi:Path", "typing:Annotated", "app.http.wire:UuidString"})
            kind = types.identifier(IdType(aggregate=self.plan.ref), self.needs)
            yield f'wanted_id: Annotated[{kind}, UuidString, Path(alias="id")]'

    def parameters(self, route: RoutePlan) -> Iterator[str]:
        if route.kind in (RouteKind.OPERATION, RouteKind.DESTROY):
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
        return self.messages.named(messages_module(self.plan.ref), request_class(route, self.plan.ref.name))

    def query_parameter(self, item: InputPlan) -> str:
        self.needs.update({"fastapi:Query", "typing:Annotated"})
        name = spelling.query_name(item.name)
        annotation = self.messages.checked(self.messages.query(item.type), item.type, item.checks, item.name)
        alias = f"alias={quoted(item.wire)}" if name != item.wire else ""
        inner = annotation[len("Annotated[") : -1] if is_annotated(annotation) else annotation
        text = f"{name}: Annotated[{inner}, Query({alias})]"
        if item.required:
            return text
        return f"{text} = {'None' if item.default is None else self.messages.renderer().line(item.default)}"

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
        return 'sort: Annotated[str, PlainValidator(sort_field(*SORTS)), Query()] = "id"'

    def find(self, route: RoutePlan) -> FindPlan:
        return next(item for item in self.plan.finds if item.name == route.member)

    def repository_module(self) -> str:
        context, name = self.plan.ref.context, self.plan.ref.name
        return f"app.persistence.{spelling.module_name(context)}.{spelling.module_name(name).rstrip('_')}_repository"

    def repository(self) -> str:
        name = f"{spelling.type_name(self.plan.ref.name)}Repository"
        self.needs.add(f"{self.repository_module()}:{name}")
        return f"{name}(work)"

    def json(self, value: str) -> str:
        self.needs.add("app.http.responses:json_response")
        return self.messages.json(AggregateType(ref=self.plan.ref), value)

    def tag(self) -> str:
        self.needs.add("app.http.versions:entity_tag")
        return f"entity_tag({self.instance}.version)"

    def body(self, route: RoutePlan) -> Iterator[str]:
        match route.kind:
            case RouteKind.CREATE:
                return self.create(route)
            case RouteKind.OPERATION:
                return self.operation(route)
            case RouteKind.DESTROY:
                return self.destroy()
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

    def arguments(self, inputs: Iterable[InputPlan]) -> str:
        return ", ".join(
            f"{spelling.local_name(item.name)}={domain_value(item.type, f'body.{spelling.request_name(item.name)}')}"
            for item in inputs
        )

    def admitted(self, plan: OperationPlan, inputs: Iterable[InputPlan]) -> list[str]:
        """The gates, where the values of the request must be made after them."""
        if not is_admitted_first(plan, self.index.is_refused):
            return []
        read = {item.name for item in parameters_read(plan.parameters, plan.requires)}
        arguments = self.arguments(item for item in inputs if item.name in read)
        return [f"{self.instance}.{admit_name(plan.name, declared_members(self.plan))}({arguments})"]

    def create(self, route: RoutePlan) -> Iterator[str]:
        self.needs.update({"app.metrics:count_creation", "app.http.responses:json_response"})
        kind = types.aggregate(self.plan.ref, self.needs)
        yield from self.within(
            f"{self.instance} = {kind}.create({self.arguments(inputs_of(route))})",
            f"await {self.repository()}.save({self.instance})",
        )
        yield f"count_creation({quoted(self.plan.ref.name)}, {self.instance}.id)"
        yield f'return json_response({{"id": {self.instance}.id}}, 201, {self.tag()})'

    def load(self) -> str:
        return f"{self.instance} = await {self.repository()}.get_by_id(wanted_id)"

    def by_id(self) -> Iterator[str]:
        yield from self.within(self.load())
        yield f"return json_response({self.json(self.instance)}, headers={self.tag()})"

    def probe(self, route: RoutePlan) -> Iterator[str]:
        self.needs.add("app.http.responses:json_response")
        yield from self.within(self.load())
        probe = f"can_{spelling.member_name(route.member).rstrip('_')}"
        yield f'return json_response({{"allowed": {self.instance}.{probe}()}})'

    def page(self, route: RoutePlan) -> Iterator[str]:
        finds = [find_method(route.member)] if route.member else ["page"]
        own = [spelling.query_name(item.name) for item in route.query]
        arguments = ", ".join([*own, "sort=sort", *_PAGE_ARGUMENTS.split(", ")[1:]])
        yield from self.within(f"found, total = await {self.repository()}.{finds[0]}({arguments})")
        yield f"return json_response(page.answer([{self.json('item')} for item in found], total))"

    def found(self, route: RoutePlan) -> Iterator[str]:
        find = self.find(route)
        arguments = ", ".join(spelling.query_name(item.name) for item in route.query)
        call = f"await {self.repository()}.{find_method(find.name)}({arguments})"
        yield from self.within(f"found = {call}")
        if find.cardinality is Cardinality.MANY:
            yield f"return json_response([{self.json('item')} for item in found])"
            return
        if find.cardinality is Cardinality.OPTIONAL:
            self.needs.add("app.errors:NotFoundError")
            yield "if found is None:"
            yield f"{INDENT}raise NotFoundError({quoted(find.missing_detail)})"
        self.needs.add("app.http.versions:entity_tag")
        yield f"return json_response({self.json('found')}, headers=entity_tag(found.version))"

    def prepare(self, route: RoutePlan) -> Iterator[str]:
        self.needs.add("app.http.responses:json_response")
        entries = []
        for item in route.prefill:
            value = "None" if item.default is None else self.messages.renderer().line(item.default)
            entries.append(f"{quoted(item.wire)}: {self.messages.json(item.type, value)}")
        yield f"return json_response({{{', '.join(entries)}}})"

    def operation(self, route: RoutePlan) -> Iterator[str]:
        self.needs.add("app.metrics:count_operation")
        plan = next(item for item in self.plan.operations if item.name == route.member)
        repository = f"{self.instance.rstrip('_')}_repository"
        answers = not isinstance(plan.returns, NothingType)
        inputs = inputs_of(route)
        call = f"{self.instance}.{spelling.member_name(plan.name)}({self.arguments(inputs)})"
        lines = [
            f"{repository} = {self.repository()}",
            f"{self.instance} = await {repository}.get_by_id(wanted_id)",
            *self.admitted(plan, inputs),
            f"{'result = ' * answers}{call}",
            f"check_version(expected, {self.instance}.version)",
        ]
        if plan.mutates:
            lines.append(f"await {repository}.save({self.instance})")
        yield from self.within(*lines)
        yield f"count_operation({quoted(self.plan.ref.name)}, {quoted(plan.name)}, {self.instance}.id)"
        yield self.answer(plan)

    def answer(self, plan: OperationPlan) -> str:
        if isinstance(plan.returns, NothingType):
            return f"return Response(status_code=204, headers={self.tag()})"
        self.needs.add("app.http.responses:json_response")
        return f"return json_response({self.messages.json(plan.returns, 'result')}, headers={self.tag()})"

    def destroy(self) -> Iterator[str]:
        self.needs.add("app.metrics:count_operation")
        repository = f"{self.instance.rstrip('_')}_repository"
        destroy = self.plan.destroy
        lines = [
            f"{repository} = {self.repository()}",
            f"{self.instance} = await {repository}.get_by_id(wanted_id)",
        ]
        if destroy is not None and (destroy.requires or destroy.body):
            lines.append(f"{self.instance}.destroy()")
        lines += [
            f"check_version(expected, {self.instance}.version)",
            f"await {repository}.delete({self.instance})",
        ]
        yield from self.within(*lines)
        yield f'count_operation({quoted(self.plan.ref.name)}, "destroy", {self.instance}.id)'
        yield "return Response(status_code=204)"
