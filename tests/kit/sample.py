"""The seed vault as a service, planned without a parser: what a backend is tried out with.

In: the name of a backend. Out: its ServicePlan.
"""

from __future__ import annotations

from loom.base import Facts, Feature
from loom.ir.places import Places
from loom.ir.program import Deployable
from loom.plan import ContextFacts, plan_context, plan_service
from loom.plan.history import History
from loom.plan.model import ContextPlan, ServicePlan
from tests.kit.seed_vault import CONTEXT, seed_vault, seed_vault_shared


def sample_context() -> ContextPlan:
    plan, problems = plan_context(
        seed_vault(), seed_vault_shared(), Places(entries=()), ContextFacts(schema_name="seed_vault"), History()
    )
    assert not problems, [problem.text() for problem in problems]
    return plan


def sample_service(platform: str) -> ServicePlan:
    """One deployable on `platform` that hosts the whole seed vault."""
    facts = Facts(name=platform, default_port=8000, internal_port=8000, supports=frozenset(Feature))
    deployable = Deployable(
        name="SeedVaultApi", platform=platform, contexts=(CONTEXT,), resources=(), serves=(), port=0
    )
    return plan_service("GeneBank", deployable, facts, [sample_context()], seed_vault_shared())
