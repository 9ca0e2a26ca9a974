"""What the Plan says of the reads of workflows."""

from __future__ import annotations

from loom.ir.members import Parameter
from loom.ir.types import STRING
from loom.plan.model import AggregatePlan
from tests.kit.planned import context_of

MODEL = """
context SeedExchange {
    aggregate PressedSheet { class: string  RFIDTag: string  unique (class) unique (RFIDTag) unique (class, RFIDTag)
        create(class: string, RFIDTag: string) { class := class  RFIDTag := RFIDTag } }
    repository PressedSheets for PressedSheet { FINDS }
    workflow LookThrough { create(end: string, sheet: PressedSheet id) { BODY } }
}
"""


def sheet(body: str, finds: str = "") -> AggregatePlan:
    (found,) = context_of(MODEL.replace("BODY", body).replace("FINDS", finds)).aggregates
    return found


def test_a_key_is_planned_for_the_reads_there_are() -> None:
    found = sheet(
        "let a = PressedSheets.getBy(class: end)  if let b = PressedSheets.findBy(class: end, RFIDTag: end) { }"
    )
    assert [(key.fields, key.is_found, key.is_required) for key in found.keys] == [
        (("class",), False, True),
        (("class", "RFIDTag"), True, False),
    ]


def test_who_asks_by_a_key_has_all_of_it() -> None:
    optional = MODEL.replace("RFIDTag: string  unique", "RFIDTag: string?  unique")
    body = "let a = PressedSheets.getBy(class: end, RFIDTag: end)"
    (found,) = context_of(optional.replace("BODY", body).replace("FINDS", "")).aggregates
    (key,) = found.keys
    assert key.parameters == (Parameter(name="class", type=STRING), Parameter(name="RFIDTag", type=STRING))


def test_an_id_may_be_of_nothing_only_where_somebody_allows_it() -> None:
    assert not sheet("let a = PressedSheets.getById(sheet)").is_found_by_id
    assert sheet("if let a = PressedSheets.findById(sheet) { }").is_found_by_id


def test_a_workflow_alone_may_delete() -> None:
    assert not sheet("let a = PressedSheets.getById(sheet)").is_deleted
    assert sheet("let a = PressedSheets.getById(sheet)  PressedSheets.delete(a)").is_deleted


def test_pages_are_sorted_and_lists_are_not() -> None:
    assert sheet("").is_listed
    assert dict(sheet("").sorts)["RFIDTag"] == "rfid_tag"
    declared = sheet("", "find all(): PressedSheet[]")
    assert not declared.is_listed
    assert declared.sorts == ()
    assert sheet("", "find all(): PressedSheet[] find some(class: string): PressedSheet paged").sorts
