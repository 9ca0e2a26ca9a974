"""Whether end-to-end tests fit the routes that they call: what they send, what they read, what they expect.

In: scenarios, the service that they run against, the places of the system. Out: diagnostics, the same whichever of
several services that host a context is looked at.
Never: what a request that is expected to be refused sends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loom.base import Diagnostic
from loom.ir.places import DeclarationPath, Places
from loom.ir.scenarios import (
    ACTUAL,
    BODY,
    BOUND,
    EXPECTED,
    ID,
    BindValue,
    ExpectJson,
    ExpectRefusal,
    JsonText,
    Request,
    RequestKind,
    Scenario,
    ScenarioStep,
    Send,
)
from loom.ir.types import EnumType
from loom.lower.scope.relations import without_optional
from loom.plan.http import RoutePlan
from loom.plan.model import ServicePlan
from loom.plan.scenarios.expectations import misplaced
from loom.plan.scenarios.script import RouteKey, route_key, routes_by_key
from loom.plan.scenarios.shapes import Handle, Shape, Shapes, answer
from loom.plan.scenarios.values import Stage, Target, misfits, shape_of, unknown_members, unknown_value

Routes = Mapping[RouteKey, RoutePlan]


def scenario_problems(scenarios: Iterable[Scenario], service: ServicePlan, places: Places) -> Iterator[Diagnostic]:
    """What is wrong with the scenarios that run against `service`."""
    chosen = [scenario for scenario in scenarios if service.deployable in scenario.deployables]
    if not chosen:
        return
    shapes, routes = Shapes(service), dict(routes_by_key(service.contexts))
    for scenario in chosen:
        stage = Stage(shapes, places, {})
        for number, step in enumerate(scenario.steps):
            yield from _step(stage, routes, step, (scenario.name, str(number)))


def _step(stage: Stage, routes: Routes, step: ScenarioStep, path: DeclarationPath) -> Iterator[Diagnostic]:
    match step:
        case Send(name=name, request=request):
            route = routes[route_key(request)]
            yield from _names(stage, request, path)
            yield from _body(stage, route, request, path)
            stage.bound[name] = answer(route)
        case ExpectRefusal(request=request):
            yield from _names(stage, request, path)
        case BindValue(name=name, value=value):
            yield from unknown_members(stage, value, (*path, BOUND))
            stage.bound[name] = shape_of(stage, value)
        case ExpectJson():
            yield from _expectation(stage, step, path)


def _names(stage: Stage, request: Request, path: DeclarationPath) -> Iterator[Diagnostic]:
    yield from unknown_members(stage, request.id, (*path, ID))
    yield from unknown_members(stage, request.body, (*path, BODY))


def _body(stage: Stage, route: RoutePlan, request: Request, path: DeclarationPath) -> Iterator[Diagnostic]:
    in_query = route.method == "GET"
    inputs = route.parameters if route.request is None else route.request.inputs
    target = Target(f"`{_called(request)}`", inputs, in_query)
    yield from misfits(stage, target, request.body, (*path, BODY))


def _called(request: Request) -> str:
    """`Telescope.slewTo`, `Telescope.create`, `PlanNight`."""
    member = request.member or ("" if request.kind is RequestKind.WORKFLOW else request.kind.value)
    return f"{request.target.name}.{member}" if member else request.target.name


def _expectation(stage: Stage, step: ExpectJson, path: DeclarationPath) -> Iterator[Diagnostic]:
    sides = ((step.actual, ACTUAL), (step.expected, EXPECTED))
    for value, side in sides:
        yield from unknown_members(stage, value, (*path, side))
    for (value, _), (other, side) in (sides, sides[::-1]):
        kind = _enum(shape_of(stage, value))
        if kind is not None and isinstance(other, JsonText):
            yield from unknown_value(stage, kind, other, (*path, side))
    yield from misplaced(stage, step, path)


def _enum(shape: Shape) -> EnumType | None:
    kind = None if shape is None or isinstance(shape, Handle) else without_optional(shape)
    return kind if isinstance(kind, EnumType) else None
