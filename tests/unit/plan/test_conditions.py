"""Conditions of finds as databases are asked them."""

from __future__ import annotations

import pytest

from loom.ir.expressions import Comparison, Domain, Fn, Local, Now
from loom.ir.types import BOOL
from loom.plan.queries import (
    AllOf,
    AnyOf,
    ArrayHolds,
    ColumnOperand,
    Compared,
    Condition,
    Fixed,
    IsNull,
    IsTrue,
    MappedOperand,
    NotTrue,
    Operand,
    RowHolds,
    TextTest,
    WidenedOperand,
)
from tests.kit.planned import context_of

MODEL = """
context SeedVault {
    valueobject ShelfSpot { roomHTML: string  order: int?  others: SeedLot id[] }
    valueobject ShelfNote { class: string? }
    aggregate SeedLot {
        netWeight: int
        grossWeight: int?
        labelHTML: string
        isOpen: bool
        sownAt: datetime
        marks: int[]
        parents: SeedLot id[]
        spot: ShelfSpot
        spare: ShelfSpot?
        note: ShelfNote?
        create(netWeight: int) {
            netWeight := netWeight  labelHTML := ""  sownAt := now()  spot := ShelfSpot { roomHTML: "", others: [] }
        }
    }
    repository SeedLots for SeedLot { find end(PARAMETERS): SeedLot[] where CONDITION }
}
"""


def asked(condition: str, parameters: str = "limit: int") -> Condition:
    text = MODEL.replace("PARAMETERS", parameters).replace("CONDITION", condition)
    (aggregate,) = context_of(text).aggregates
    (find,) = aggregate.finds
    assert find.where is not None
    return find.where


def column(found: Operand) -> str:
    """The column, with what is done to it before it is compared."""
    match found:
        case ColumnOperand(column=name):
            return name
        case MappedOperand(fn=fn, of=inner):
            return f"{fn.name}({column(inner)})"
        case WidenedOperand(domain=domain, of=inner):
            return f"{domain.name}({column(inner)})"


def compared(condition: str, parameters: str = "limit: int") -> Compared:
    found = asked(condition, parameters)
    assert isinstance(found, Compared)
    return found


@pytest.mark.parametrize(
    ("written", "turned"), [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<="), ("==", "=="), ("!=", "!=")]
)
def test_the_column_comes_first_on_whichever_side_it_stands(written: str, turned: str) -> None:
    found = compared(f"limit {written} netWeight")
    assert (column(found.operand), found.op) == ("net_weight", Comparison(turned))
    assert isinstance(found.value, Local)
    assert compared(f"netWeight {written} limit").op is Comparison(written)


def test_logic_holds_conditions_and_what_reads_no_row_is_fixed() -> None:
    found = asked("netWeight > limit && (limit > 3 || !isOpen)")
    assert isinstance(found, AllOf)
    first, second = found.conditions
    assert isinstance(first, Compared)
    assert isinstance(second, AnyOf)
    fixed, opposite = second.conditions
    assert isinstance(fixed, Fixed)
    assert isinstance(opposite, NotTrue)
    assert opposite.condition == IsTrue(operand=ColumnOperand(column="is_open", type=BOOL))


def test_equality_is_safe_for_null_where_a_side_may_be_null() -> None:
    assert compared("grossWeight != limit").null_safe
    assert compared("netWeight == limit", "limit: int?").null_safe
    assert not compared("netWeight != limit").null_safe


@pytest.mark.parametrize(
    ("condition", "name"),
    [
        ("grossWeight == null", "gross_weight"),
        ("spare == null", "spare_room_html"),
        ("note == null", "note_present"),
        ("null == spot.order", "spot_order"),
    ],
)
def test_absence_is_asked_of_the_column_that_tells(condition: str, name: str) -> None:
    for text, negated in ((condition, False), (condition.replace("==", "!="), True)):
        found = asked(f"{text} && netWeight > limit")
        assert isinstance(found, AllOf)
        test = found.conditions[0]
        assert isinstance(test, IsNull)
        assert (column(test.operand), test.negated) == (name, negated)


def test_a_column_is_changed_before_it_is_compared() -> None:
    assert column(compared("netWeight > limit", "limit: long").operand) == "LONG(net_weight)"
    assert column(compared("netWeight > limit", "limit: decimal").operand) == "DECIMAL(net_weight)"
    assert (
        column(compared("labelHTML.trim().toLower() == text", "text: string").operand) == "TO_LOWER(TRIM(label_html))"
    )


def test_a_day_and_a_value_that_the_server_knows() -> None:
    found = asked("sownAt.startOfDay() <= now() && netWeight > limit")
    assert isinstance(found, AllOf)
    test = found.conditions[0]
    assert isinstance(test, Compared)
    assert (column(test.operand), test.domain) == ("START_OF_DAY(sown_at)", Domain.DATETIME)
    assert isinstance(test.value, Now)


def test_own_columns_have_their_names() -> None:
    assert column(compared("version > limit").operand) == "version"


@pytest.mark.parametrize(
    ("written", "fn"),
    [("startsWith", Fn.STARTS_WITH), ("endsWith", Fn.ENDS_WITH), ("contains", Fn.STRING_CONTAINS)],
)
def test_tests_of_texts(written: str, fn: Fn) -> None:
    found = asked(f"spot.roomHTML.{written}(text)", "text: string")
    assert isinstance(found, TextTest)
    assert (found.fn, column(found.operand)) == (fn, "spot_room_html")


def test_a_collection_is_asked_where_it_lies() -> None:
    array = asked("marks.contains(limit)")
    assert isinstance(array, ArrayHolds)
    assert column(array.operand) == "marks"
    rows = asked("parents.contains(lot)", "lot: SeedLot id")
    assert isinstance(rows, RowHolds)
    assert rows.field == "parents"
    inside = asked("spot.others.contains(lot)", "lot: SeedLot id")
    assert isinstance(inside, ArrayHolds)
    assert column(inside.operand) == "spot_others"
