"""The two halves of a create: what is a local before there is an instance, and with what values it begins."""

from __future__ import annotations

from loom.base import descendants
from loom.ir.expressions import Arithmetics, Expr, Field, Literal, Local, Null, This
from loom.ir.statements import Assign, Emit, Let
from loom.plan.model import CreatePlan
from loom.plan.steps import CheckRules, Guard, IfStep
from tests.kit.planned import context_of

MODEL = """
context BellTower {
    event BellHung { bell: TowerBell id, HTTPPort: int }
    aggregate TowerBell {
        class: int
        HTTPPort: int
        order: int = 3
        label: string?
        contains clapper: IronClapper
        contains ropes: IronClapper[]
        entity IronClapper { end: int }
        create(class: int, end: int) { BODY clapper := IronClapper { end: end } AFTER }
        RULE
    }
}
"""
BOTH = "class := class  HTTPPort := end "


def create(body: str, after: str = "", rule: str = "") -> CreatePlan:
    text = MODEL.replace("BODY", body).replace("AFTER", after).replace("RULE", rule)
    (aggregate,) = context_of(text).aggregates
    assert aggregate.create is not None
    return aggregate.create


def value(plan: CreatePlan, name: str) -> Expr:
    return next(item.value for item in plan.values if item.name == name)


def test_plain_values_go_straight_into_the_instance() -> None:
    plan = create(BOTH)
    assert (plan.drafts, plan.before, plan.after) == ((), (), ())
    assert [item.name for item in plan.values] == ["class", "HTTPPort", "order", "label", "clapper", "ropes"]
    assert isinstance(value(plan, "class"), Local)
    assert isinstance(value(plan, "order"), Literal)
    assert isinstance(value(plan, "label"), Null)


def test_what_follows_runs_on_the_instance() -> None:
    plan = create(BOTH, "class := class + order", "invariant class > 0")
    assert [type(step) for step in plan.after] == [Assign, CheckRules]
    assert plan.drafts == ()


def test_a_part_that_must_be_there_is_waited_for() -> None:
    plan = create("class := class  HTTPPort := end  precondition end > 1 ")
    assert [type(step) for step in plan.before] == [Guard]
    assert not isinstance(value(plan, "clapper"), Null)


def test_what_is_set_in_a_branch_is_a_draft() -> None:
    plan = create("if end > 1 { class := 1  order := 2 } else { class := 2 } HTTPPort := end ")
    (first, second) = plan.drafts
    assert (first.name, first.initial, first.is_constant) == ("class", None, False)
    assert (second.name, second.is_constant) == ("order", False)
    assert isinstance(second.initial, Literal)
    assert [type(step) for step in plan.before] == [IfStep]
    assert value(plan, "class") == Local(type=first.type, name=first.local)


def test_a_draft_that_is_set_at_once_needs_no_other_value() -> None:
    (draft,) = create("class := class  order := class + 1  HTTPPort := order ").drafts
    assert (draft.name, draft.initial, draft.is_constant) == ("order", None, True)


def test_reads_before_the_instance_are_of_drafts() -> None:
    plan = create("class := class  HTTPPort := this.class + 1 ")
    assert [item.name for item in plan.drafts] == ["class"]
    assert not any(isinstance(node, Field | This) for node in descendants(*plan.before, *plan.values))


def test_a_draft_has_a_name_of_its_own_and_so_has_the_instance() -> None:
    (draft,) = create("class := class  HTTPPort := this.class + 1 ").drafts
    assert draft.local == "newClass"
    assert create(BOTH).instance == "towerBell"
    assert create(BOTH, "let towerBell = end  order := towerBell").instance == "newTowerBell"


def test_a_value_is_not_found_after_what_it_reads_has_changed() -> None:
    plan = create("class := class  HTTPPort := this.class * 2  class := 5 ")
    places = [step.path[0] for step in plan.before if isinstance(step, Assign)]
    assert places == ["class", "HTTPPort", "class"]
    assert isinstance(value(plan, "HTTPPort"), Local)


def test_values_that_may_be_refused_keep_their_order() -> None:
    in_order = create("class := class * 2  HTTPPort := end * 2 ")
    assert in_order.before == ()
    assert isinstance(value(in_order, "class"), Arithmetics)
    turned = create("HTTPPort := end * 2  class := class * 2 ")
    assert [step.path for step in turned.before if isinstance(step, Assign)] == [("HTTPPort",)]


def test_a_value_that_may_be_refused_is_not_found_after_a_guard() -> None:
    plan = create("class := class * 2  precondition end > 1  HTTPPort := end ")
    assert [type(step) for step in plan.before] == [Assign, Guard]


def test_an_event_waits_for_the_instance_with_the_values_it_was_raised_with() -> None:
    plan = create("emit BellHung { bell: id, HTTPPort: end * 2 } " + BOTH)
    (let,) = plan.before
    assert isinstance(let, Let)
    (told,) = plan.after
    assert isinstance(told, Emit)
    assert [item.value for item in told.fields][1] == Local(type=let.value.type, name=let.name)


def test_what_is_raised_on_one_way_waits_for_the_instance_under_the_id_that_it_will_have() -> None:
    plan = create("if end > 1 { emit BellHung { bell: id, HTTPPort: end } } " + BOTH)
    assert plan.raised and plan.identity and plan.raised != plan.identity
    (step,) = plan.before
    assert isinstance(step, IfStep)
    (raised,) = step.then
    assert isinstance(raised, Emit)
    bell = raised.fields[0].value
    assert bell == Local(type=bell.type, name=plan.identity)
    assert not any(isinstance(node, This) for node in descendants(*plan.before, *plan.values))


def test_names_of_what_waits_are_those_of_nothing_else() -> None:
    plan = create(
        "let raised = end  let towerBellId = raised  if end > raised { emit BellHung { bell: id, HTTPPort: end } } "
        + BOTH
    )
    assert {plan.raised, plan.identity}.isdisjoint({"raised", "towerBellId", ""})


def test_nothing_waits_where_every_event_is_raised_on_every_way() -> None:
    plan = create("emit BellHung { bell: id, HTTPPort: end } " + BOTH)
    assert (plan.raised, plan.identity) == ("", "")


def test_a_member_that_is_read_alone_is_a_constant_from_the_start() -> None:
    plan = create("if order > end { emit BellHung { bell: id, HTTPPort: order } } " + BOTH)
    (draft,) = plan.drafts
    assert (draft.name, draft.is_constant) == ("order", True)
    assert isinstance(draft.initial, Literal)
