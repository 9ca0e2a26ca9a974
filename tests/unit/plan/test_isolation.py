"""Transactions that name no level of isolation have that of the resources, the strictest in a service."""

from __future__ import annotations

import pytest

from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned
from tests.kit.sample import sample_facts

MODEL = """
system KilnYard {
    storage db { type: postgres }
    resource potState { for: PotRoom, kind: state, use: db POTS }
    resource glazeState { for: GlazeHTTP, kind: state, use: db GLAZES }
    deployable KilnService { platform: python contexts: [PotRoom, GlazeHTTP] dataSources: [potState, glazeState] }
}
context PotRoom { aggregate ClayPot with crudish { class: int } }
context GlazeHTTP { aggregate GlazeMix with crudish { end: int } }
"""
PLAIN = "-c timezone=UTC"
NAMED = f"{PLAIN} -c default_transaction_isolation="


def session_options(pots: str, glazes: str) -> str:
    source = MODEL
    for place, level in (("POTS", pots), ("GLAZES", glazes)):
        source = source.replace(place, f"isolationLevel: {level}" if level else "")
    model = lowered({"main.ddd": source.encode()})
    plans = planned(model)
    assert not plans.diagnostics, [problem.text() for problem in plans.diagnostics]
    (deployable,) = model.system.deployables
    facts = sample_facts("python")
    return plan_service(model.system.name, deployable, facts, list(plans.contexts), model.shared).session_options


@pytest.mark.parametrize(
    ("pots", "glazes", "options"),
    [
        ("", "", PLAIN),
        ("", "readUncommitted", f"{NAMED}read\\ uncommitted"),
        ("readCommitted", "readUncommitted", f"{NAMED}read\\ committed"),
        ("readCommitted", "repeatableRead", f"{NAMED}repeatable\\ read"),
        ("serializable", "repeatableRead", f"{NAMED}serializable"),
    ],
)
def test_a_service_has_the_strictest_level_of_its_contexts(pots: str, glazes: str, options: str) -> None:
    assert session_options(pots, glazes) == options
