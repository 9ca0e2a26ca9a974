"""`test e2e` blocks: the script that runs them, and whether they fit the routes that they call."""

from loom.plan.scenarios.script import plan_scenarios

__all__ = ["plan_scenarios"]
