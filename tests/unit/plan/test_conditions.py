"""Conditions of finds as databases are asked them."""

from __future__ import annotations

import pytest

from loom.ir.expressions import Comparison, Domain, Expr, Logic, Logical
from loom.ir.types import BOOL, INT
from loom.plan.code.conditions import columns_first
from tests.kit.build import both, compare, field, local, negated, self_type, this

WEIGHT = field(this(self_type("SeedVault", "SeedLot")), "netWeight", INT)
LIMIT = local("limit", INT)


def compared(left: Expr, op: str, right: Expr) -> Expr:
    return compare(Comparison(op), Domain.INT, left, right)


@pytest.mark.parametrize(
    ("written", "asked"), [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<="), ("==", "=="), ("!=", "!=")]
)
def test_a_column_that_stands_last_comes_first(written: str, asked: str) -> None:
    assert columns_first(compared(LIMIT, written, WEIGHT)) == compared(WEIGHT, asked, LIMIT)


def test_comparisons_within_logic_are_turned_too_and_all_others_stay() -> None:
    right, values = compared(WEIGHT, "<", LIMIT), compared(LIMIT, "<", local("other", INT))
    settled = both(right, values)
    assert columns_first(settled) is settled
    either = Logical(type=BOOL, op=Logic.OR, operands=(values, negated(compared(LIMIT, ">", WEIGHT))))
    assert columns_first(either) == Logical(type=BOOL, op=Logic.OR, operands=(values, negated(right)))
