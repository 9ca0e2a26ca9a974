"""Comparisons that reading decides are literals in the Plan, and no others are."""

from __future__ import annotations

import pytest

from loom.ir.expressions import Literal
from loom.ir.statements import Return
from loom.plan.model import ServicePlan
from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned
from tests.kit.sample import sample_facts

MODEL = """
system KilnYard {
    storage db { type: postgres }
    resource state { for: KilnRoom, kind: state, use: db }
    deployable KilnService { platform: python contexts: [KilnRoom] dataSources: [state] }
}
function isSame(class: int): bool = class == class
context KilnRoom {
    enum GlazeHTTP { raw, fired }
    aggregate ClayPot with crudish {
        class: int
        weight: decimal
        unitPrice: money
        order: string
        glaze: GlazeHTTP
        firedAt: datetime
        derived total: int = class + 1
        derived end: bool = CONDITION
    }
    repository ClayPots for ClayPot { find heavy(weight: decimal): ClayPot[] where this.weight >= weight }
}
"""
DECIDED = {
    "class == class": "true",
    "class != class": "false",
    "class < class": "false",
    "class <= class": "true",
    "weight >= weight": "true",
    "unitPrice > unitPrice": "false",
    "order == order": "true",
    "glaze != glaze": "false",
    "firedAt <= firedAt": "true",
    "now() == now()": "true",
    "1 == 1.0": "true",
    "10 < 9": "false",
    'money("2.50") > money("2.5")': "false",
    '"a" == "b"': "false",
    '"Z" < "a"': "true",
    "true == false": "false",
    "GlazeHTTP.raw == GlazeHTTP.fired": "false",
}
# A choice between `true` and `false`, and what is worth the same.
CHOSEN = {
    "class > 3 ? true : false": "class > 3",
    "class > 3 ? false : true": "!(class > 3)",
    "class > 3 ? 1 == 1 : class != class": "class > 3",
    "class > 3 ? (2 > 1 ? true : total == 1) : false": "class > 3",
    "total > 3 ? true : true": "total > 3 || true",
    "total > 3 ? false : false": "total > 3 && false",
    "class > 3 ? (total > 1 ? true : false) : order == order": "class > 3 ? total > 1 : true",
}
UNDECIDED = ["class == total", "class + 1 == class + 1", "total == total", "class / 2 == class / 2", "glaze == raw"]


def plan(condition: str) -> ServicePlan:
    model = lowered({"main.ddd": MODEL.replace("CONDITION", condition).encode()})
    plans = planned(model)
    assert not plans.diagnostics, [problem.text() for problem in plans.diagnostics]
    return plan_service(
        model.system.name, model.system.deployables[0], sample_facts("python"), list(plans.contexts), model.shared
    )


def end(condition: str) -> object:
    (aggregate,) = plan(condition).contexts[0].aggregates
    return next(item.value for item in aggregate.derived if item.name == "end")


@pytest.mark.parametrize("condition", DECIDED)
def test_what_reading_decides_is_a_literal(condition: str) -> None:
    found = end(condition)
    assert isinstance(found, Literal)
    assert found.text == DECIDED[condition]


@pytest.mark.parametrize("condition", CHOSEN)
def test_a_choice_of_truths_is_its_condition(condition: str) -> None:
    assert end(condition) == end(CHOSEN[condition])


@pytest.mark.parametrize("condition", UNDECIDED)
def test_what_may_be_refused_or_differ_is_asked(condition: str) -> None:
    assert not isinstance(end(condition), Literal)


def test_functions_of_the_root_are_settled_and_finds_are_left_alone() -> None:
    service = plan("isSame(class)")
    (function,) = service.shared.functions
    (given,) = function.body
    assert isinstance(given, Return)
    assert isinstance(given.value, Literal)
    (find,) = service.contexts[0].aggregates[0].finds
    assert find.where is not None
    assert not isinstance(find.where, Literal)
