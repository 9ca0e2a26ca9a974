"""A whole model planned in one go, and plans as text that people can review.

In: sources by name; those of the model before, where its tables are the history. Out: plans, diagnostics, text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loom.base import Diagnostic, Facts, Feature, Severity
from loom.ir import deployment
from loom.ir import program as ir
from loom.ir.places import Places
from loom.lower import lower_context, lower_shared, lower_system, signature
from loom.lower.signature import ContextSignature
from loom.parse import ast, parse
from loom.plan.checks import service_problems
from loom.plan.context import plan_context
from loom.plan.facts import context_facts
from loom.plan.history import History, RecordedMigration, table_shapes
from loom.plan.model import AggregatePlan, ContextPlan, WorkflowCreatePlan
from loom.plan.scenarios.checks import scenario_problems
from loom.plan.service import plan_service
from loom.plan.steps import ForEachStep, IfPresentStep, IfStep, Save, Step
from loom.plan.wire.openapi import Documented, documented


@dataclass(frozen=True)
class Model:
    """A lowered model; `places` are those of its system."""

    system: deployment.System
    shared: ir.Shared
    contexts: tuple[tuple[ir.Context, Places], ...]
    places: Places
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Planned:
    contexts: tuple[ContextPlan, ...]
    diagnostics: tuple[Diagnostic, ...]


def lowered(sources: Mapping[str, bytes]) -> Model:
    """All files as one program; what parsing reports is not repeated here."""
    outside = [(name, parse(name, data).ast) for name, data in sources.items()]
    found = [(name, context) for name, file in outside for context in _contexts(file.members)]
    signatures: list[ContextSignature] = [signature(context) for _, context in found]
    root = lower_shared(outside, signatures)
    system = lower_system(outside, signatures, root.signature)
    contexts = [lower_context(context, name, root.signature, signatures) for name, context in found]
    problems = [*root.diagnostics, *system.diagnostics, *[each for item in contexts for each in item.diagnostics]]
    placed = tuple((item.context, item.places) for item in contexts)
    return Model(system.system, root.shared, placed, system.places, tuple(problems))


def _contexts(members: Iterable[object]) -> Iterator[ast.Context]:
    for member in members:
        if isinstance(member, ast.Context):
            yield member
        elif isinstance(member, ast.System | ast.Subdomain):
            yield from _contexts(member.members)


def planned(model: Model, before: Model | None = None, *, is_closed: bool = False) -> Planned:
    """Every context and every service; `before` is the model whose tables were recorded."""
    history = _histories(before) if before else {}
    made: list[ContextPlan] = []
    problems: list[Diagnostic] = [*model.diagnostics]
    for context, places in model.contexts:
        facts = context_facts(model.system, context.name)
        known = history.get(context.name, History()).model_copy(update={"is_closed": is_closed})
        plan, found = plan_context(context, model.shared, places, facts, known)
        made.append(plan)
        problems += found
    return Planned(tuple(made), (*problems, *_service_problems(model, made)))


def _service_problems(model: Model, plans: list[ContextPlan]) -> Iterator[Diagnostic]:
    places = {context.name: found for context, found in model.contexts}
    for deployable in model.system.deployables:
        facts = Facts(name=deployable.platform, default_port=8000, internal_port=8000, supports=frozenset(Feature))
        service = plan_service(model.system.name, deployable, facts, plans, model.shared)
        yield from service_problems(service, facts, places)
        yield from scenario_problems(model.system.scenarios, service, model.places)


def _histories(model: Model) -> dict[str, History]:
    plans = planned(model).contexts
    return {
        plan.name: History(
            migrations=tuple(
                RecordedMigration(version=item.version, name=item.name, sql=item.sql) for item in plan.migrations
            ),
            tables=table_shapes(plan),
        )
        for plan in plans
    }


def plan_text(contexts: Iterable[ContextPlan]) -> str:
    """Routes with their requests and answers, workflow bodies, and the pending SQL."""
    return "\n".join(line for context in contexts for line in _context(context))


def _context(context: ContextPlan) -> Iterator[str]:
    yield f"context {context.name}"
    routes = {item.route.operation_id: item for item in documented([context])}
    for aggregate in context.aggregates:
        yield from _aggregate(aggregate, routes)
    for workflow in context.workflows:
        for create in workflow.creates:
            yield from _route(routes[create.route.operation_id])
            yield from _body(create)
    for migration in context.migrations:
        if migration.pending:
            yield f"  {migration.version}_{migration.name}.sql"
            yield from ("    " + line for line in migration.sql.splitlines())


def _aggregate(aggregate: AggregatePlan, routes: Mapping[str, Documented]) -> Iterator[str]:
    yield f"  {aggregate.ref.name}: {', '.join(member.wire for member in aggregate.members)}"
    for route in aggregate.routes:
        yield from _route(routes[route.operation_id])


def _route(item: Documented) -> Iterator[str]:
    route = item.route
    statuses = " ".join(map(str, (route.success, *item.refusals)))
    yield f"    {route.method} {route.path} {route.operation_id} -> {statuses}"
    inputs = (*route.parameters, *(route.request.inputs if route.request else ()))
    if inputs:
        yield "      " + ", ".join(
            given.wire + ("" if given.required else "?") + "!" * len(given.checks) for given in inputs
        )


def _body(create: WorkflowCreatePlan) -> Iterator[str]:
    yield from ("      " + line for line in _steps(create.body))


def _steps(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        yield _word(step)
        for position, block in enumerate(_blocks(step)):
            if position and block:
                yield "else"
            yield from ("  " + line for line in _steps(block))


def _blocks(step: Step) -> tuple[tuple[Step, ...], ...]:
    match step:
        case ForEachStep(body=body):
            return (body,)
        case IfStep(then=then, otherwise=otherwise) | IfPresentStep(then=then, otherwise=otherwise):
            return then, otherwise
        case _:
            return ()


def _word(step: Step) -> str:
    if isinstance(step, Save):
        return f"Save {step.name}" + (" if changed" if step.conditional else "")
    named = getattr(step, "name", "") or getattr(step, "receiver", "") or getattr(step, "detail", "")
    return f"{type(step).__name__} {named}".rstrip()


def context_of(text: str) -> ContextPlan:
    """The only context that `text` declares, which has no mistakes."""
    found = planned(lowered({"main.ddd": f"system WaterWorks {{ {text} }}".encode()}))
    mistakes = [item for item in found.diagnostics if item.severity is Severity.ERROR]
    assert not mistakes, mistakes
    (context,) = found.contexts
    return context
