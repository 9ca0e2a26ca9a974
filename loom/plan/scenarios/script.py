"""`test e2e` blocks as a script of HTTP requests, which the driver runs without knowing the model.

In: scenarios of the IR, the service that they run against. Out: JSON text.

The script is `{"scenarios": [{"name": …, "steps": […]}]}`. A step is one of
`{"send": REQUEST, "bind": name}`, `{"let": name, "value": VALUE}`, `{"refuse": REQUEST, "status": n}` and
`{"expect": VALUE, "matcher": …, "by": …, "expected": VALUE, "negated": bool}`, where `by` says whether both sides are
compared as JSON (`json`) or their texts by what they write (`amount`, `instant`). A REQUEST has `method`, `path`
(pieces: texts, and VALUEs that are put in as path segments), and `body` or `query`, each a VALUE. A VALUE says its
kind first: `["text", s]`, `["number", digits]`, `["bool", b]`, `["null"]`, `["object", [[name, VALUE], …]]`,
`["array", [VALUE, …]]`, `["concat", [VALUE, …]]`, `["path", name, [member, …]]`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple, assert_never

from loom.ir.scenarios import (
    BindValue,
    ExpectJson,
    ExpectRefusal,
    Json,
    JsonArray,
    JsonBool,
    JsonConcat,
    JsonNull,
    JsonNumber,
    JsonObject,
    JsonPath,
    JsonText,
    Request,
    RequestKind,
    Scenario,
    ScenarioStep,
    Send,
)
from loom.plan.http import RouteKind, RoutePlan
from loom.plan.model import ContextPlan, ServicePlan, ServiceScenarios
from loom.plan.scenarios.comparisons import compared_by
from loom.plan.scenarios.shapes import Shape, Shapes, answer

_ROUTES: Mapping[RequestKind, RouteKind] = {
    RequestKind.CREATE: RouteKind.CREATE,
    RequestKind.GET_BY_ID: RouteKind.BY_ID,
    RequestKind.LIST: RouteKind.LIST,
    RequestKind.DELETE: RouteKind.DESTROY,
    RequestKind.OPERATION: RouteKind.OPERATION,
    RequestKind.FIND: RouteKind.FIND,
    RequestKind.WORKFLOW: RouteKind.WORKFLOW,
}
_BY_MEMBER = (RouteKind.OPERATION, RouteKind.FIND, RouteKind.WORKFLOW)

RouteKey = tuple[str, str, RouteKind, str]


def plan_scenarios(scenarios: Iterable[Scenario], service: ServicePlan) -> ServiceScenarios:
    """The script of all blocks that run against `service`; every request names a route (validated)."""
    writer = _Writer(Shapes(service), dict(routes_by_key(service.contexts)))
    chosen = [scenario for scenario in scenarios if service.deployable in scenario.deployables]
    script = {"scenarios": [{"name": each.name, "steps": writer.steps(each)} for each in chosen]}
    return ServiceScenarios(slug=service.slug, script=json.dumps(script, ensure_ascii=False, indent=1) + "\n")


def routes_by_key(contexts: Iterable[ContextPlan]) -> Iterable[tuple[RouteKey, RoutePlan]]:
    """Every route by context, declaration, kind, and member where the kind has several."""
    for context in contexts:
        for aggregate in context.aggregates:
            for route in aggregate.routes:
                member = route.member if route.kind in _BY_MEMBER else ""
                yield (context.name, aggregate.ref.name, route.kind, member), route
        for workflow in context.workflows:
            for create in workflow.creates:
                yield (context.name, workflow.ref.name, RouteKind.WORKFLOW, create.name), create.route


class _Writer(NamedTuple):
    shapes: Shapes
    routes: Mapping[RouteKey, RoutePlan]

    def steps(self, scenario: Scenario) -> list[dict[str, object]]:
        bound: dict[str, Shape] = {}
        return [self.step(step, bound) for step in scenario.steps]

    def step(self, step: ScenarioStep, bound: dict[str, Shape]) -> dict[str, object]:
        match step:
            case Send(name=name, request=request):
                bound[name] = answer(self.routes[route_key(request)])
                return {"send": _request(request, self.routes), "bind": name}
            case BindValue(name=name, value=value):
                bound[name] = self.shape(value, bound)
                return {"let": name, "value": _value(value)}
            case ExpectJson():
                return self.expectation(step, bound)
            case ExpectRefusal():
                return {"refuse": _request(step.request, self.routes), "status": step.status}
        assert_never(step)

    def expectation(self, step: ExpectJson, bound: Mapping[str, Shape]) -> dict[str, object]:
        sides = [(value, self.shape(value, bound)) for value in (step.actual, step.expected)]
        return {
            "expect": _value(step.actual),
            "matcher": step.matcher.value,
            "by": compared_by(step.matcher, sides).value,
            "expected": _value(step.expected),
            "negated": step.negated,
        }

    def shape(self, value: Json, bound: Mapping[str, Shape]) -> Shape:
        return self.shapes.followed(bound.get(value.name), value.members) if isinstance(value, JsonPath) else None


def route_key(request: Request) -> RouteKey:
    """The key of the route that a request goes to."""
    kind = _ROUTES[request.kind]
    member = request.member if kind in _BY_MEMBER else ""
    return request.target.context, request.target.name, kind, member


def _request(request: Request, routes: Mapping[RouteKey, RoutePlan]) -> dict[str, object]:
    route = routes[route_key(request)]
    before, hole, after = route.path.partition("{id}")
    pieces: list[object] = [before]
    if hole and request.id is not None:
        pieces += [_value(request.id), after]
    found: dict[str, object] = {"method": route.method, "path": pieces}
    if request.body is not None:
        found["query" if route.method == "GET" else "body"] = _value(request.body)
    elif route.request is not None:
        found["body"] = ["object", []]
    return found


def _value(value: Json) -> list[object]:  # noqa: C901 - one arm a kind
    match value:
        case JsonText():
            return ["text", value.text]
        case JsonNumber():
            return ["number", value.text]
        case JsonBool():
            return ["bool", value.value]
        case JsonNull():
            return ["null"]
        case JsonObject():
            return ["object", [[member.name, _value(member.value)] for member in value.members]]
        case JsonArray():
            return ["array", [_value(item) for item in value.items]]
        case JsonConcat():
            return ["concat", [_value(part) for part in value.parts]]
        case JsonPath():
            return ["path", value.name, list(value.members)]
    assert_never(value)
