"""What is wrong with a service as a whole: clashing routes, constructs that its backend cannot emit, misfit scenarios.

In: a ServicePlan, facts of its backend, the places of its contexts, the system with its own. Out: diagnostics.
Never: what one context can find out alone. It stands beside `stage.py`, whose steps need nothing of lowering.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from loom.base import Diagnostic, Facts, Feature
from loom.ir.deployment import System
from loom.ir.places import DeclarationPath, Places
from loom.ir.uses import Use, Uses
from loom.parse.stage import NoValue
from loom.plan.features import unemitted
from loom.plan.http import RouteKind, RoutePlan
from loom.plan.model import ContextPlan, ServiceFrame, ServicePlan
from loom.plan.scenarios.checks import scenario_problems
from loom.plan.wire.problems import DuplicateRoute


class Mounted(NamedTuple):
    route: RoutePlan
    context: str
    path: DeclarationPath


def check(
    frame: ServiceFrame,
    contexts: tuple[ContextPlan, ...],
    facts: Facts,
    places: tuple[Places, ...],
    uses: tuple[Uses, ...],
    system: System,
    declared: Places,
) -> tuple[NoValue, tuple[Diagnostic, ...]]:
    """The stage over `service_problems` and `scenario_problems`.

    `places` and `uses` are those of the service's contexts, in their order; `declared` are those of the system.
    """
    service = ServicePlan.joined(frame, contexts)
    by_name = {context.name: found for context, found in zip(service.contexts, places, strict=True)}
    found = service_problems(service, facts, by_name, [use for each in uses for use in each.entries])
    return NoValue(), (*found, *scenario_problems(system.scenarios, service, declared))


def service_problems(
    service: ServicePlan, facts: Facts, places: Mapping[str, Places], uses: Iterable[Use] = ()
) -> tuple[Diagnostic, ...]:
    """`places` are those of the hosted contexts, by name; `uses` are what lowering saw in them."""
    made = [use for context in service.contexts for use in _planned_uses(context, places[context.name])]
    return (*unemitted([*made, *uses], facts), *_clashes(service, places))


def _planned_uses(context: ContextPlan, places: Places) -> Iterator[Use]:
    """What every plan consists of, in order of declaration."""
    parts = list(_parts(context))
    found = places.each(path for _, path in parts)
    yield from (Use(feature=feature, at=at) for (feature, _), at in zip(parts, found, strict=True))


def _parts(context: ContextPlan) -> Iterator[tuple[Feature, DeclarationPath]]:
    for aggregate in context.aggregates:
        own = aggregate.ref.name
        yield Feature.STATE_AGGREGATES, (own,)
        yield from ((Feature.REPOSITORY_FINDS, (own, find.name)) for find in aggregate.finds)
        yield from ((Feature.UNIT_TESTS, (own, test.name)) for test in aggregate.tests)
    for workflow in context.workflows:
        yield Feature.WORKFLOW_COMMANDS, (workflow.ref.name,)
    for test in context.value_object_tests:
        yield Feature.UNIT_TESTS, (test.name,)


def _clashes(service: ServicePlan, places: Mapping[str, Places]) -> Iterator[Diagnostic]:
    """Two declarations are told apart once, however many of their routes clash."""
    taken: dict[str, Mounted] = {}
    told: set[tuple[str, ...]] = set()
    for item in _mounted(service.contexts):
        keys = (f"{item.route.method} {item.route.path}", item.route.operation_id)
        for key in keys:
            first = taken.setdefault(key, item)
            pair = (first.context, first.path[0], item.context, item.path[0])
            if first is not item and pair not in told and not _is_one_table(first, item, key):
                told.add(pair)
                yield DuplicateRoute(
                    at=places[item.context].at(*item.path),
                    case="context" if first.context == item.context else "contexts",
                    deployable=service.deployable,
                    name=key,
                    first=_label(first),
                    second=_label(item),
                )


def _is_one_table(first: Mounted, second: Mounted, key: str) -> bool:
    """Aggregates of one context that have one path have one table too, which is said already."""
    is_path = key.startswith(first.route.method + " ")
    return is_path and first.context == second.context and first.path[0] != second.path[0]


def _mounted(contexts: Iterable[ContextPlan]) -> Iterator[Mounted]:
    for context in contexts:
        for aggregate in context.aggregates:
            for route in aggregate.routes:
                member = (route.member,) if route.member else ()
                yield Mounted(route, context.name, (aggregate.ref.name, *member))
        for workflow in context.workflows:
            for create in workflow.creates:
                yield Mounted(create.route, context.name, (workflow.ref.name,))


def _label(item: Mounted) -> str:
    """What the route comes from; a find and an operation may have one name."""
    name = ".".join((item.context, *item.path))
    return f"the {_DECLARED.get(item.route.kind, 'aggregate')} `{name}`"


_DECLARED: Mapping[RouteKind, str] = {
    RouteKind.FIND: "find",
    RouteKind.OPERATION: "operation",
    RouteKind.PROBE: "operation",
    RouteKind.WORKFLOW: "workflow",
}
