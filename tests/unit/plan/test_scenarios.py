"""What an expectation is compared by is decided with the model in view, and the driver compares so."""

from __future__ import annotations

import json

import pytest

from loom.base import Facts, Feature
from loom.e2e.driver.script import ScenarioFailure, run_scenario
from loom.plan.scenarios import plan_scenarios
from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned

MODEL = """
system TheatrePlan {
  storage db { type: postgres }
  resource seatState { for: SeatPlan, kind: state, use: db }
  deployable PySeats { platform: python contexts: [SeatPlan] dataSources: [seatState] }
  test e2e "orders" against PySeats {
    let dear = api.httpHalls.getById("1")
    let cheap = api.httpHalls.getById("2")
    EXPECTED
  }
}
context SeatPlan {
  aggregate HTTPHall with crudish { entryFee: money? order: decimal className: string openedAt: datetime? }
  repository HTTPHalls for HTTPHall { }
}
"""
DEAR = b'{"id":"1","entryFee":"1000.0000","order":1000.5,"className":"1000.0000","openedAt":"2031-03-01T20:00:00.5Z"}'
CHEAP = b'{"id":"2","entryFee":"900.0000","order":900,"className":"900.0000","openedAt":"2031-03-01T20:00:00Z"}'


def run(expected: str) -> None:
    model = lowered({"main.ddd": MODEL.replace("EXPECTED", expected).encode()})
    plans = planned(model)
    assert not plans.diagnostics
    (deployable,) = model.system.deployables
    facts = Facts(name="python", default_port=8000, internal_port=8000, supports=frozenset(Feature))
    service = plan_service("TheatrePlan", deployable, facts, plans.contexts, model.shared)
    (scenario,) = json.loads(plan_scenarios(model.system.scenarios, service).script)["scenarios"]
    run_scenario(scenario["steps"], lambda _, path, __: (200, DEAR if path.endswith("1") else CHEAP))


@pytest.mark.parametrize(
    "expected",
    [
        "expect dear.entryFee.toBeGreaterThan(cheap.entryFee)",
        'expect dear.entryFee.toBeGreaterThan("900")',
        "expect dear.entryFee.toBeGreaterThan(999)",
        'expect "9.5".toBeLessThan(dear.entryFee)',
        'expect dear.entryFee.toBe("1000")',
        "expect dear.order.toBeGreaterThan(cheap.order)",
        "expect dear.className.toBeLessThan(cheap.className)",
        "expect dear.openedAt.toBeGreaterThan(cheap.openedAt)",
        'expect dear.openedAt.toBeLessThan("2031-03-01T21:00:01+01:00")',
        'expect dear.openedAt.toBeGreaterThan("2031")',
    ],
)
def test_money_and_datetimes_are_ordered_by_what_their_texts_write(expected: str) -> None:
    run(expected)
    with pytest.raises(ScenarioFailure, match="should not be"):
        run(expected.replace(".to", ".not.to"))


def test_an_absent_amount_is_null() -> None:
    run("expect dear.entryFee.not.toBe(null)")


def test_what_writes_no_amount_or_no_time_has_no_order() -> None:
    with pytest.raises(ScenarioFailure, match='"x2" is no amount of money'):
        run("let text = `x{2}` expect dear.entryFee.toBeGreaterThan(text)")
    with pytest.raises(ScenarioFailure, match='"2031" is no datetime'):
        run('expect dear.openedAt.toBeSameInstant("2031")')
