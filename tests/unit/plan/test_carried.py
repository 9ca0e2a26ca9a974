"""Which values stand in requests, and which in answers."""

from __future__ import annotations

from collections.abc import Iterable

from loom.ir.types import PartType
from loom.plan.model import SharedPlan, Structured
from loom.plan.wire.carried import answered, requested
from tests.kit.planned import context_of

NOTHING_SHARED = SharedPlan(enums=(), value_objects=(), functions=())
CONTEXT = context_of("""
context PaperMill {
    valueobject SheetSize { millimetres: int  edge: DeckleEdge? }
    valueobject DeckleEdge { class: int }
    valueobject PulpRecipe { HTTPSource: string }
    valueobject VatSecret { end: int }
    valueobject FelixNumber { order: int }
    payload MouldAnswer { sizes: SheetSize[]  felix: FelixNumber? }
    payload MouldCommand { end: int }
    aggregate PaperMould {
        size: SheetSize?
        secretOf: VatSecret internal
        contains wires: MouldWire[]
        entity MouldWire { class: int }
        create(recipe: PulpRecipe, end: int) {
            secretOf := VatSecret { end: end }
            precondition recipe.HTTPSource != ""
        }
    }
    workflow AskMould {
        create(c: MouldCommand): MouldAnswer { return MouldAnswer { sizes: [], felix: FelixNumber { order: c.end } } }
    }
}
""")


def named(kinds: Iterable[Structured]) -> set[str]:
    return {kind.name if isinstance(kind, PartType) else kind.ref.name for kind in kinds}


def test_a_request_holds_what_a_client_gives() -> None:
    assert named(requested([CONTEXT], NOTHING_SHARED)) == {"PulpRecipe"}


def test_an_answer_holds_what_is_shown_with_all_that_lies_in_it() -> None:
    found = {"SheetSize", "DeckleEdge", "MouldWire", "MouldAnswer", "FelixNumber"}
    assert named(answered([CONTEXT], NOTHING_SHARED)) == found


def test_each_is_named_once() -> None:
    found = answered([CONTEXT], NOTHING_SHARED)
    assert len(found) == len(set(found))
