"""What workflows note of aggregates that only some of their ways change."""

from __future__ import annotations

from collections.abc import Iterable

from loom.plan.model import WorkflowCreatePlan
from loom.plan.steps import DeleteStep, ForEachStep, IfPresentStep, IfStep, Save, Step, Track
from tests.kit.planned import context_of

MODEL = """
context MapRoom {
    event SheetTorn { end: int }
    aggregate MapSheet { class: int  create(class: int) { class := class }
        operation fold(end: int) { class := end  emit SheetTorn { end: end } } }
    aggregate InkWell { class: int  create(class: int) { class := class } }
    repository MapSheets for MapSheet { find all(): MapSheet[] }
    repository InkWells for InkWell { }
    workflow FoldSheets transactional(ISOLATION) { create(sheet: MapSheet id, end: int) { BODY } }
}
"""
READ = "let a = MapSheets.getById(sheet) "


def flow(body: str, isolation: str = "serializable") -> WorkflowCreatePlan:
    text = MODEL.replace("BODY", body).replace("(ISOLATION)", f"({isolation})" if isolation else "")
    (workflow,) = context_of(text).workflows
    return workflow.creates[0]


def notes(steps: Iterable[Step]) -> str:
    return " ".join(filter(None, map(_note, steps)))


def _note(step: Step) -> str:
    match step:
        case Track(name=name, state=state):
            return f"{name}:{state.value}"
        case Save(name=name, conditional=conditional):
            return f"save{'?' * conditional}:{name}"
        case DeleteStep(name=name):
            return f"delete:{name}"
        case IfStep(then=then, otherwise=otherwise):
            return f"[{notes(then)}|{notes(otherwise)}]"
        case IfPresentStep(then=then):
            return f"[{notes(then)}]"
        case ForEachStep(body=body):
            return f"({notes(body)})"
        case _:
            return ""


def test_nothing_is_noted_of_what_is_saved_in_any_case() -> None:
    assert notes(flow(READ + "a.fold(end)").body) == "save:a"


def test_a_change_in_a_branch_is_noted() -> None:
    assert notes(flow(READ + "if end > 1 { a.fold(end) }").body) == "a:bound [a:changed|] save?:a"


def test_what_is_made_is_changed_and_what_is_deleted_is_not() -> None:
    body = READ + "if end > 1 { MapSheets.delete(a) } else { a.fold(end) }"
    assert notes(flow(body).body) == "a:bound [delete:a a:deleted|a:changed] save?:a"
    made = "let m = MapSheet.create({ class: end })  if end > 1 { MapSheets.delete(m) }"
    assert notes(flow(made).body) == "m:changed [delete:m m:deleted|] save?:m"


def test_each_turn_of_a_loop_begins_anew() -> None:
    body = "for a in MapSheets.all() { if a.class > end { a.fold(end) } }"
    assert notes(flow(body).body) == "(a:bound [a:changed|] save?:a)"
    found = "if let b = MapSheets.findById(sheet) { if end > 1 { b.fold(end) } }"
    assert notes(flow(found).body) == "[b:bound [b:changed|] save?:b]"


def test_repositories_are_named_once_in_the_order_of_their_use() -> None:
    body = "let w = InkWell.create({ class: end }) " + READ + "a.fold(end)  a.fold(end)"
    plan = flow(body)
    assert [ref.name for ref in plan.stores] == ["MapSheet", "InkWell"]
    assert not plan.emits
    assert flow("emit SheetTorn { end: end }").emits


def test_isolation_is_in_the_words_of_the_database() -> None:
    assert flow("precondition end > 1", "repeatableRead").isolation == "REPEATABLE READ"
    assert flow("precondition end > 1", "").isolation == ""
