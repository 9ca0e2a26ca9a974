"""The program as everything that all targets must agree on."""

from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts, context_facts
from loom.plan.scenarios import plan_scenarios
from loom.plan.service import plan_service
from loom.plan.system import plan_system

__all__ = ["ContextFacts", "context_facts", "plan_context", "plan_scenarios", "plan_service", "plan_system"]
