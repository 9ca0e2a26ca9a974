"""The plan stages: a context, a service, its scenarios, and what a system shares, each a step of its own.

In: programs and facts. Out: plans. Never: a context that a service does not host.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.base import Diagnostic, Facts
from loom.ir import deployment
from loom.ir import program as ir
from loom.ir.places import Places
from loom.plan.context import plan_context
from loom.plan.database.abandoned import abandoned, abandoned_problems
from loom.plan.facts import ContextFacts, context_facts
from loom.plan.history import History, Recorded
from loom.plan.model import ContextPlan, ServiceFrame, ServicePlan, ServiceScenarios, SystemPlan
from loom.plan.scenarios import plan_scenarios
from loom.plan.service import plan_service, plan_shared
from loom.plan.system import plan_system
from loom.plan.wire.spec import ContextWire, context_wire

Problems = tuple[Diagnostic, ...]


class Planned(NamedTuple):
    """`wire` is the part of a context's plan that the system as a whole describes."""

    plan: ContextPlan
    wire: ContextWire


def facts_of(system: deployment.System, context: str) -> tuple[ContextFacts, Problems]:
    return context_facts(system, context), ()


def histories(system: str, contexts: tuple[str, ...], places: Places, recorded: Recorded) -> tuple[Recorded, Problems]:
    """What is recorded of contexts that are no more."""
    left = abandoned(system, contexts, recorded)
    return left, tuple(abandoned_problems(left, places))


def plan_one(
    context: ir.Context, shared: ir.Shared, places: Places, facts: ContextFacts, history: History
) -> tuple[Planned, Problems]:
    allowed = history.may_lose_data
    plan, problems = plan_context(context, shared, places, facts, history, allow_destructive=allowed)
    return Planned(plan, context_wire(plan, plan_shared(shared, set(plan.shared)))), problems


def service(
    system: deployment.System, deployable: str, facts: Facts, contexts: tuple[ContextPlan, ...], shared: ir.Shared
) -> tuple[ServiceFrame, Problems]:
    return plan_service(system.name, _deployable(system, deployable), facts, contexts, shared).frame, ()


def scenarios(
    system: deployment.System, frame: ServiceFrame, contexts: tuple[ContextPlan, ...]
) -> tuple[ServiceScenarios, Problems]:
    return plan_scenarios(system.scenarios, ServicePlan.joined(frame, contexts)), ()


def whole(
    system: deployment.System, facts: tuple[Facts, ...], wires: tuple[ContextWire, ...]
) -> tuple[SystemPlan, Problems]:
    return plan_system(system, {item.name: item for item in facts}, wires), ()


def _deployable(system: deployment.System, name: str) -> deployment.Deployable:
    return next(item for item in system.deployables if item.name == name)
