"""Which creates say that they may conflict: those whose row can point at nothing, or break a unique key."""

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
