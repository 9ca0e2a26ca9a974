"""The program as everything that all targets must agree on."""

from loom.plan.checks import service_problems
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts, context_facts
from loom.plan.scenarios import plan_scenarios
from loom.plan.service import plan_service, plan_shared
from loom.plan.system import plan_system
from loom.plan.wire.spec import ContextWire, context_wire

__all__ = [
    "ContextFacts",
    "ContextWire",
    "context_facts",
    "context_wire",
    "plan_context",
    "plan_scenarios",
    "plan_service",
    "plan_shared",
    "plan_system",
    "service_problems",
]
