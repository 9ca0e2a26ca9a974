"""What a save costs: statements for what has changed, and none for what has not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from tests.kit.postgres import Cluster
from tests.kit.services import Service

BOTH = pytest.mark.parametrize("slug", ["python_furnaces", "node_furnaces"])
FURNACES = "/api/arc_furnaces"
BAND = {"lowest": 1, "highest": 2}


class Furnace:
    """One furnace of a running service, and what its operations cost."""

    def __init__(self, service: Service, postgres: Cluster) -> None:
        self.service = service
        self.postgres = postgres
        body = {"label": "A", "lit": True, "mix": {"copper": 80, "tin": 20}, "band": BAND}
        answer = service.send("POST", FURNACES, json.dumps(body).encode())
        assert answer.status == 201, answer.body
        self.path = f"{FURNACES}/{json.loads(answer.body)['id']}"
        self.costs(self.relight)

    def run(self, operation: str, **members: object) -> None:
        answer = self.service.send("POST", f"{self.path}/{operation}", json.dumps(members).encode())
        assert answer.status == 204, answer.body

    def relight(self) -> None:
        self.run("relight", lit=False)

    def stack(self, height: int = 1) -> None:
        self.run("stack", height=height, first="x", second="y")

    def unstack(self) -> None:
        self.run("unstack", shelf=self.read()["shelves"][0]["id"])

    def survey(self, count: int) -> None:
        self.run("survey", bands=[{"lowest": number, "highest": number} for number in range(count)], wanted=BAND)

    def read(self) -> dict[str, list[dict[str, object]]]:
        found: dict[str, list[dict[str, object]]] = json.loads(self.service.send("GET", self.path).body)
        return found

    def costs(self, act: Callable[[], None]) -> int:
        before = self.postgres.statements(self.service.database)
        act()
        return self.postgres.statements(self.service.database) - before


@pytest.fixture
def furnace(slug: str, start: Callable[[str], Service], postgres: Cluster) -> Iterator[Furnace]:
    yield Furnace(start(slug), postgres)


@BOTH
def test_parts_and_lists_that_did_not_change_cost_nothing(furnace: Furnace) -> None:
    furnace.stack()
    little = furnace.costs(furnace.relight)
    for height in range(12):
        furnace.stack(height)
    furnace.survey(12)
    furnace.run("cover", weight=7)
    assert furnace.costs(furnace.relight) == little


@BOTH
def test_what_is_added_costs_the_same_beside_many(furnace: Furnace) -> None:
    furnace.stack()
    few = furnace.costs(furnace.stack)
    assert few == furnace.costs(furnace.relight) + 2, "one statement for the shelf, one for its bricks"
    for height in range(12):
        furnace.stack(height)
    assert furnace.costs(furnace.stack) == few


@BOTH
def test_a_list_costs_the_same_whatever_its_length(furnace: Furnace) -> None:
    furnace.survey(1)
    same = furnace.costs(lambda: furnace.survey(1))
    assert same == furnace.costs(furnace.relight)
    assert furnace.costs(lambda: furnace.survey(900)) == same + 1, "what is new"
    assert furnace.costs(lambda: furnace.survey(890)) == same + 1, "what is gone"
    assert len(furnace.read()["bandsSeen"]) == 890
    assert furnace.costs(lambda: furnace.survey(0)) == same + 1
    assert furnace.read()["bandsSeen"] == []


@BOTH
def test_more_than_a_statement_can_hold_is_written_in_portions(furnace: Furnace) -> None:
    furnace.survey(17_000)
    assert len(furnace.read()["bandsSeen"]) == 17_000
    furnace.survey(3)
    assert [band["lowest"] for band in furnace.read()["bandsSeen"]] == [0, 1, 2]


@BOTH
def test_what_is_removed_goes_with_what_it_holds(furnace: Furnace) -> None:
    for height in range(3):
        furnace.stack(height)
    kept = furnace.read()["shelves"][1:]
    furnace.unstack()
    assert furnace.read()["shelves"] == kept


@pytest.mark.parametrize("slug", ["python_foundry", "node_foundry"])
def test_lists_in_lists_cost_the_same_whatever_their_lengths(
    slug: str, start: Callable[[str], Service], postgres: Cluster
) -> None:
    service = start(slug)
    path = planned(service, width=1)

    def cost(method: str, target: str, body: object = None) -> int:
        before = postgres.statements(service.database)
        answer = service.send(method, target, None if body is None else json.dumps(body).encode())
        assert answer.status in (200, 204), answer.body
        return postgres.statements(service.database) - before

    cost("GET", path)
    read, page = cost("GET", path), cost("GET", PLANS)
    same = cost("POST", f"{path}/update", plan(width=1))
    assert cost("POST", f"{path}/update", plan(width=10)) == same + 3, "frames, their steps, the notes of these"
    for width in range(3):
        planned(service, width=width)
    assert (cost("GET", path), cost("GET", PLANS)) == (read, page)
    assert cost("POST", f"{path}/update", plan(width=10)) == same
    assert cost("POST", f"{path}/update", plan(width=10, note="other")) == same + 1, "the notes alone"
    assert cost("POST", f"{path}/update", plan(width=0)) == same + 3


PLANS = "/api/casting_plans"


def plan(width: int, note: str = "note") -> dict[str, object]:
    """As many frames, each with as many steps, each with as many notes."""
    notes = [{"textHTML": note, "class": number} for number in range(width)]
    steps = [{"order": number, "end": number, "grades": [], "notes": notes} for number in range(width)]
    recipe, empty = ({"steps": found, "labels": [], "yokes": []} for found in (steps, []))
    return {"name": "plan", "frame": {"recipe": empty}, "frames": [{"recipe": recipe} for _ in range(width)]}


def planned(service: Service, width: int) -> str:
    answer = service.send("POST", PLANS, json.dumps(plan(width)).encode())
    assert answer.status == 201, answer.body
    return f"{PLANS}/{json.loads(answer.body)['id']}"
