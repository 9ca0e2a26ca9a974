"""The seed vault as a service, planned without a parser: what a backend is tried out with.

In: the name of a backend. Out: its ServicePlan.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.base import Facts, Feature
from loom.ir.deployment import Deployable, System
from loom.ir.places import Places
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from loom.plan.model import ContextPlan, ServicePlan, SystemPlan
from loom.plan.service import plan_service
from loom.plan.system import plan_system
from loom.plan.wire.spec import ContextWire
from tests.kit.seed_vault import CONTEXT, seed_vault, seed_vault_shared

SYSTEM = "GeneBank"


def sample_context() -> ContextPlan:
    plan, problems = plan_context(
        seed_vault(), seed_vault_shared(), Places(entries=()), ContextFacts(schema_name="seed_vault"), History()
    )
    assert not problems, [problem.text() for problem in problems]
    return plan


def sample_facts(platform: str) -> Facts:
    return Facts(name=platform, default_port=8000, internal_port=8000, supports=frozenset(Feature))


def sample_deployable(platform: str) -> Deployable:
    return Deployable(name="SeedVaultApi", platform=platform, contexts=(CONTEXT,), resources=(), serves=(), port=0)


def sample_service(platform: str) -> ServicePlan:
    """One deployable on `platform` that hosts the whole seed vault."""
    return plan_service(
        SYSTEM, sample_deployable(platform), sample_facts(platform), [sample_context()], seed_vault_shared()
    )


def sample_system(wires: Iterable[ContextWire]) -> SystemPlan:
    """A system without deployables that has the given contexts."""
    system = System(
        name=SYSTEM,
        subdomains=(),
        contexts=(),
        storages=(),
        resources=(),
        apis=(),
        deployables=(),
        scenarios=(),
    )
    return plan_system(system, {}, wires)
