"""Which entities have rules, and where bodies check them."""

from __future__ import annotations

from loom.ir.expressions import Field, Local
from loom.ir.statements import Assign, Let, Return
from loom.plan.model import AggregatePlan
from loom.plan.steps import CheckRules, IfStep, Step
from tests.kit.planned import context_of

DAM = """
    unique (siteCode)
    create(siteCode: string, HTTPPort: int) { siteCode := siteCode  HTTPPort := HTTPPort }
    operation drain(byHalf: int): int {
        if byHalf > 3 { return HTTPPort }
        HTTPPort := byHalf
        return HTTPPort % byHalf
    }
    operation shut() { HTTPPort := 0 }
    operation peek(): int { return HTTPPort * 2 }
"""


def dam(body: str = DAM, *, rule: str = "invariant HTTPPort >= 0", part: str = "") -> AggregatePlan:
    held = f"contains class: SluiceGate[] entity SluiceGate {{ end: int {part} }}"
    text = f"context RiverWorks {{ aggregate EarthDam {{ siteCode: string HTTPPort: int {rule} {held} {body} }} }}"
    (aggregate,) = context_of(text).aggregates
    return aggregate


def body(plan: AggregatePlan, name: str) -> tuple[Step, ...]:
    return next(item.body for item in plan.operations if item.name == name)


def test_a_body_without_a_result_ends_with_the_check() -> None:
    assert [type(step) for step in body(dam(), "shut")] == [Assign, CheckRules]
    create = dam().create
    assert create is not None
    assert isinstance(create.body[-1], CheckRules)


def test_the_check_stands_before_each_result_that_cannot_be_refused() -> None:
    branch, *_ = body(dam(), "drain")
    assert isinstance(branch, IfStep)
    assert [type(step) for step in branch.then] == [CheckRules, Return]


def test_what_may_be_refused_is_found_before_the_check() -> None:
    *_, found, check, answer = body(dam(), "drain")
    assert isinstance(found, Let)
    assert isinstance(check, CheckRules)
    assert answer == Return(value=Local(type=found.value.type, name=found.name))


def test_the_result_has_a_name_of_its_own() -> None:
    text = DAM.replace("byHalf", "answer").replace(
        "return HTTPPort %", "let answer2 = answer  return HTTPPort % answer2 %"
    )
    *_, found, _, _ = body(dam(text), "drain")
    assert isinstance(found, Let)
    assert found.name == "answer3"


def test_nothing_is_checked_where_nothing_can_be_broken() -> None:
    assert [type(step) for step in body(dam(), "peek")] == [Return]
    free = dam(rule="")
    assert not free.is_checked
    assert [type(step) for step in body(free, "shut")] == [Assign]


def test_a_rule_of_a_part_is_one_of_the_aggregate() -> None:
    found = dam(rule="", part="invariant end > 0")
    assert found.is_checked
    assert [item.is_checked for item in found.containments] == [True]
    (field,) = [step.value for step in body(found, "peek") if isinstance(step, Return)]
    assert not isinstance(field, Field)
    assert [item.is_checked for item in dam().containments] == [False]


def test_a_check_of_a_field_is_a_rule() -> None:
    assert dam(rule="", part="check end > 0").is_checked
