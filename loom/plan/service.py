"""One deployable: the contexts that it hosts and what they use of the model's root.

In: the system, the deployable, facts of its backend, planned contexts. Out: ServicePlan.
Never: a context that it does not host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Facts, descendants
from loom.ir import deployment
from loom.ir import program as ir
from loom.ir.types import Ref, Type
from loom.plan import names
from loom.plan.code.absence import without_absence
from loom.plan.code.comparisons import settled
from loom.plan.declarations.aggregates import tests
from loom.plan.declarations.entities import functions
from loom.plan.declarations.values import enums, value_objects
from loom.plan.isolation import session_options, strictest
from loom.plan.limits import LimitsPlan, ProbePlan
from loom.plan.model import ContextPlan, ServicePlan, SharedPlan
from loom.plan.wire.carried import answered, requested
from loom.plan.wire.openapi import openapi


def plan_service(
    system: str, deployable: deployment.Deployable, facts: Facts, contexts: Iterable[ContextPlan], shared: ir.Shared
) -> ServicePlan:
    """The whole input of a backend; `contexts` may hold more than the deployable hosts."""
    known = {context.name: context for context in contexts}
    hosted = tuple(known[name] for name in deployable.contexts)
    used = plan_shared(shared, {name for context in hosted for name in context.shared})
    slug = names.snake_name(deployable.name)
    return ServicePlan(
        system=system,
        deployable=deployable.name,
        slug=slug,
        platform=deployable.platform,
        port=deployable.port or facts.default_port,
        database=slug,
        session_options=session_options(strictest(context.isolation for context in hosted)),
        shared=used,
        contexts=hosted,
        ids=tuple(dict.fromkeys(ref for context in hosted for ref in context.ids)),
        requested=requested(hosted, used),
        answered=answered(hosted, used),
        openapi=openapi(system, used, hosted),
        limits=LimitsPlan(),
        probe=ProbePlan(),
    )


def plan_shared(shared: ir.Shared, named: set[str]) -> SharedPlan:
    """What is named, and what that names in turn."""
    shared = settled(without_absence(shared, _declared(shared)))
    wanted = _closure(shared, named)
    values = [item for item in shared.value_objects if item.name in wanted]
    return SharedPlan(
        enums=enums([item for item in shared.enums if item.name in wanted], ""),
        value_objects=value_objects(values, ""),
        functions=functions([item for item in shared.functions if item.name in wanted]),
        value_object_tests=tuple(test for item in values for test in tests(item.tests)),
    )


def _declared(shared: ir.Shared) -> Iterator[Type]:
    yield from (field.type for item in shared.value_objects for field in item.properties)
    for function in shared.functions:
        yield from (function.returns, *[parameter.type for parameter in function.parameters])


def _closure(shared: ir.Shared, named: set[str]) -> set[str]:
    items: list[ir.Enum | ir.ValueObject | ir.Function] = [*shared.enums, *shared.value_objects, *shared.functions]
    declared = {item.name: item for item in items}
    wanted: set[str] = set()
    waiting = [name for name in named if name in declared]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            inside = descendants(declared[name])
            waiting += [node.name for node in inside if isinstance(node, Ref) and node.context == ""]
    return wanted
