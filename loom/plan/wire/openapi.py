"""The text of `openapi.json`: what a service answers, word for word the same on every backend.

In: the system's name, shared declarations and hosted contexts. Out: OpenAPI 3.1 as text.
Never: servers, or anything that only one backend does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from loom.ir.types import NothingType
from loom.plan.http import InputPlan, RouteKind, RoutePlan
from loom.plan.model import ContextPlan, SharedPlan
from loom.plan.wire.json_text import Json, Shared, Written, json_text
from loom.plan.wire.refusals import aggregate_refusals, knowledge, workflow_refusals
from loom.plan.wire.schemas import (
    PROBLEM,
    UUID,
    Names,
    Schema,
    component_names,
    components,
    input_schema,
    request_object,
    type_schema,
)

# Where a response stands in the document.
RESPONSE_DEPTH = 10
TITLES = {
    200: "OK",
    201: "Created",
    204: "No Content",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    409: "Conflict",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
}


ID = Shared({"name": "id", "in": "path", "required": True, "schema": UUID})
IF_MATCH = Shared({"name": "If-Match", "in": "header", "required": False, "schema": {"type": "string"}})
ETAG = Shared({"ETag": {"schema": {"type": "string"}}})


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


CREATED = Shared(_object({"id": UUID}))
ALLOWED = Shared(_object({"allowed": {"type": "boolean"}}))


class Documented(NamedTuple):
    """A route, what it belongs to, and the problems that it may answer with."""

    route: RoutePlan
    tag: str
    refusals: tuple[int, ...]


def openapi(system: str, shared: SharedPlan, contexts: tuple[ContextPlan, ...]) -> str:
    """The document of a service that hosts `contexts`."""
    names = component_names(shared, contexts)
    paths: dict[str, Json] = {}
    for item in documented(contexts):
        known = paths.setdefault(item.route.path, {})
        assert isinstance(known, dict)
        known[item.route.method.lower()] = _operation(item, names)
    document: Schema = {
        "openapi": "3.1.0",
        "info": {"title": system, "version": "1.0.0"},
        "paths": paths,
        "components": {"schemas": components(names, shared, contexts)},
    }
    return json_text(document) + "\n"


def documented(contexts: Iterable[ContextPlan]) -> Iterator[Documented]:
    """Every route of the hosted contexts, in the order of registration."""
    for context in contexts:
        known = knowledge(context)
        for aggregate in context.aggregates:
            for route in aggregate.routes:
                yield Documented(route, aggregate.ref.name, aggregate_refusals(known, aggregate, route))
        for workflow in context.workflows:
            for create in workflow.creates:
                yield Documented(create.route, workflow.ref.name, workflow_refusals(known, create))


def _operation(item: Documented, names: Names) -> Schema:
    route = item.route
    operation: Schema = {"operationId": route.operation_id, "tags": [item.tag]}
    if parameters := _parameters(route, names):
        operation["parameters"] = parameters
    if route.request is not None:
        schema = request_object(route.request.inputs, names)
        content: Schema = {"application/json": {"schema": schema}}
        operation["requestBody"] = {"required": "required" in schema, "content": content}
    responses: Schema = {str(route.success): _answer(route, names)}
    operation["responses"] = responses | {str(status): _problem(status) for status in item.refusals}
    return operation


def _parameters(route: RoutePlan, names: Names) -> list[Json]:
    found: list[Json] = []
    if "{id}" in route.path:
        found.append(ID)
    found += [_query(item, names) for item in route.parameters]
    if route.is_conditional:
        found.append(IF_MATCH)
    return found


def _query(item: InputPlan, names: Names) -> Schema:
    def made() -> Schema:
        return {"name": item.wire, "in": "query", "required": item.required, "schema": input_schema(item, names)}

    return names.shared(("query", item), made)


def _answer(route: RoutePlan, names: Names) -> Schema:
    alike = route.kind, route.success, route.responds, route.prefill
    return names.shared(alike, lambda: _answered(route, names))


def _answered(route: RoutePlan, names: Names) -> Schema:
    answer: Schema = {"description": TITLES[route.success]}
    if route.is_versioned:
        answer["headers"] = ETAG
    if route.success != 204:
        answer["content"] = {"application/json": {"schema": answer_schema(route, names)}}
    return answer


def answer_schema(route: RoutePlan, names: Names) -> Schema:
    match route.kind:
        case RouteKind.CREATE:
            return CREATED
        case RouteKind.PROBE:
            return ALLOWED
        case RouteKind.PREPARE:
            return _object({item.wire: type_schema(item.type, names) for item in route.prefill})
        case _:
            return {} if isinstance(route.responds, NothingType) else type_schema(route.responds, names)


@cache
def _problem(status: int) -> Written:
    """Written once for all routes that refuse so."""
    schema: Schema = {"$ref": f"#/components/schemas/{PROBLEM}"}
    content: Schema = {"application/problem+json": {"schema": schema}}
    return Written(json_text({"description": TITLES[status], "content": content}, RESPONSE_DEPTH))
