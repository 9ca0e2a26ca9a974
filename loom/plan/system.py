"""What all services of a system share: its wire contract, its messages, and a summary for deployment files.

In: the system, facts by backend, the wire contracts of all contexts. Out: SystemPlan.
Never: whole contexts (a change in one must not cost reading all).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loom.base import Facts
from loom.ir import deployment
from loom.plan import names
from loom.plan.limits import ProbePlan
from loom.plan.model import ServiceSummary, SystemPlan
from loom.plan.wire.messages import messages_text
from loom.plan.wire.spec import ContextWire, wire_spec


def plan_system(system: deployment.System, facts: Mapping[str, Facts], contexts: Iterable[ContextWire]) -> SystemPlan:
    """`facts` are those of the backends by platform."""
    ordered = tuple(sorted(contexts, key=lambda item: item.context))
    return SystemPlan(
        system=system.name,
        services=tuple(_summary(item, facts[item.platform]) for item in system.deployables),
        wire_spec=wire_spec(system.name, ordered),
        messages=messages_text(pair for item in ordered for pair in item.messages),
    )


def _summary(deployable: deployment.Deployable, facts: Facts) -> ServiceSummary:
    slug = names.snake_name(deployable.name)
    return ServiceSummary(
        deployable=deployable.name,
        slug=slug,
        platform=deployable.platform,
        port=deployable.port or facts.default_port,
        internal_port=facts.internal_port,
        database=slug,
        probe=ProbePlan(),
    )
