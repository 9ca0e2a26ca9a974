"""Which refusals routes tell of: conflicts of rows that point at nothing or break a unique key, gates of finds."""

from __future__ import annotations

from loom.plan.wire.openapi import documented
from tests.kit.planned import lowered, planned

MODEL = b"""
context DeepField {
  valueobject SoilPlace { owner: RoverUnit id?  depth: int }
  aggregate RoverUnit with crudish { class: string }
  aggregate NextURL with crudish { title: string  next: NextURL id? }
  aggregate ManyURL with crudish { title: string  others: ManyURL id[] }
  aggregate WithParts with crudish {
    contains parts: SoilPart[]
    entity SoilPart { order: WithParts id  contains inner: InnerPart? }
    entity InnerPart { depth: int }
  }
  aggregate WithValue with crudish { place: SoilPlace }
  aggregate WithValues with crudish { places: SoilPlace[] }
  aggregate PlainParts with crudish {
    marks: string[]
    places: PlainValue[]
    contains parts: PlainPart[]
    entity PlainPart { places: PlainValue[]  contains inner: LeafPart? }
    entity LeafPart { depth: int }
  }
  valueobject PlainValue { depth: int }
}
"""


def test_a_create_that_refers_to_anything_may_conflict() -> None:
    found = planned(lowered({"main.ddd": MODEL}))
    creates = {item.tag: 409 in item.refusals for item in documented(found.contexts) if item.route.success == 201}
    assert creates == {
        "RoverUnit": False,
        "NextURL": True,
        "ManyURL": True,
        "WithParts": True,
        "WithValue": True,
        "WithValues": True,
        "PlainParts": False,
    }


GATED = b"""
context DeepField {
  aggregate RoverUnit { class: string  operation relabel(class: string) { class := class } }
  repository RoverUnits for RoverUnit {
    find openUnit(class: string): RoverUnit? where this.class == class
    find sealedUnit(class: string): RoverUnit? requires 2 < 1 where this.class == class
    find sealedUnits(class: string): RoverUnit[] requires 2 < 1 where this.class == class
  }
  workflow OpenURL { create(class: string) { let end = RoverUnits.openUnit(class)  precondition end != null } }
  workflow SealedURL { create(class: string) { let end = RoverUnits.sealedUnit(class)  precondition end != null } }
  workflow OpenGuardURL { create(class: string) { if let end = RoverUnits.openUnit(class) { end.relabel(class) } } }
  workflow SealedGuardURL { create(class: string) { if let end = RoverUnits.sealedUnit(class) { end.relabel(class) } } }
  workflow SealedLoopURL { create(class: string) { for end in RoverUnits.sealedUnits(class) { end.relabel(class) } } }
}
"""


def test_a_workflow_is_refused_by_the_gate_of_a_find_that_it_calls() -> None:
    found = planned(lowered({"main.ddd": GATED}))
    refusals = {item.route.operation_id: item.refusals for item in documented(found.contexts)}
    assert {name: 403 in statuses for name, statuses in refusals.items() if "Url" in name} == {
        "openUrlWorkflow": False,
        "sealedUrlWorkflow": True,
        "openGuardUrlWorkflow": False,
        "sealedGuardUrlWorkflow": True,
        "sealedLoopUrlWorkflow": True,
    }
