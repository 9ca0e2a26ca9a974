"""Which gates a request passes before values are made of it."""

from __future__ import annotations

import pytest

from loom.plan.model import AggregatePlan, ContextPlan
from tests.kit.planned import context_of

MODEL = """
context CoinHoard {
    valueobject FaceValue { cents: int RULE }
    valueobject DieMark { HTTPMark: string  face: FaceValue? }
    payload HoardCommand { class: int  mark: DieMark }
    aggregate SilverCoin {
        end: int
        create(end: int) { end := end }
        operation strike(class: int, marks: DieMark[]) requires class > 1 { end := class + marks.count }
        operation melt(marks: DieMark[]) when end > 1 { end := marks.count }
        operation turn(marks: DieMark[]) { end := marks.count }
        private operation bend(class: int, mark: DieMark) requires class > 1 { end := class }
    }
    workflow StrikeAll {
        create(c: HoardCommand) requires c.class > 1 { precondition c.mark.HTTPMark != "" }
        create again(class: int, mark: DieMark) requires class > 1 { precondition mark.HTTPMark != "" }
        create freely(class: int, mark: DieMark) { precondition mark.HTTPMark != "" && class > 0 }
    }
}
"""


def hoard(rule: str) -> ContextPlan:
    return context_of(MODEL.replace("RULE", rule))


def coin(rule: str) -> AggregatePlan:
    (found,) = hoard(rule).aggregates
    return found


def admitted(plan: AggregatePlan) -> dict[str, list[str] | None]:
    names = {item.name: item.admission for item in plan.operations}
    return {name: None if read is None else [item.name for item in read] for name, read in names.items()}


def test_gates_come_first_where_a_value_deep_inside_has_rules() -> None:
    found = {"strike": ["class"], "melt": [], "turn": None, "bend": None}
    assert admitted(coin("check cents > 0")) == found
    assert admitted(coin("invariant cents > 0")) == found


def test_values_without_rules_are_made_before_any_gate() -> None:
    assert set(admitted(coin("")).values()) == {None}


@pytest.mark.parametrize(("rule", "read"), [("check cents > 0", [["class"], ["class"], None]), ("", [None] * 3)])
def test_workflows_do_alike_with_members_of_their_record(rule: str, read: list[list[str] | None]) -> None:
    (workflow,) = hoard(rule).workflows
    found = [create.admission for create in workflow.creates]
    assert [None if item is None else [given.name for given in item] for item in found] == read
