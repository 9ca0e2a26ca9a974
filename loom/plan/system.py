"""What all services of a system share: its wire contract, its messages, and a summary for deployment files.

In: the system, facts by backend, all planned contexts. Out: SystemPlan.
Never: what only one service needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loom.base import Facts
from loom.ir import program as ir
from loom.plan import names
from loom.plan.model import ContextPlan, ServiceSummary, SystemPlan
from loom.plan.service import plan_shared
from loom.plan.wire.messages import messages
from loom.plan.wire.spec import wire_spec


def plan_system(
    system: ir.System, facts: Mapping[str, Facts], contexts: Iterable[ContextPlan], shared: ir.Shared
) -> SystemPlan:
    """`facts` are those of the backends by platform."""
    planned = tuple(sorted(contexts, key=lambda context: context.name))
    everything = plan_shared(shared, {name for context in planned for name in context.shared})
    return SystemPlan(
        system=system.name,
        services=tuple(_summary(item, facts[item.platform]) for item in system.deployables),
        wire_spec=wire_spec(system.name, everything, planned),
        messages=messages(everything, planned),
    )


def _summary(deployable: ir.Deployable, facts: Facts) -> ServiceSummary:
    slug = names.snake_name(deployable.name)
    return ServiceSummary(
        deployable=deployable.name,
        slug=slug,
        platform=deployable.platform,
        port=deployable.port or facts.default_port,
        internal_port=facts.internal_port,
        database=slug,
    )
