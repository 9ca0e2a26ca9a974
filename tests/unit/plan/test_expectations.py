"""What unit tests expect, as comparisons that every backend spells as it spells others."""

from __future__ import annotations

import pytest

from loom.ir.expressions import Compare, Comparison, Domain, Expr, Literal, Null
from loom.ir.statements import Expect, Matcher
from loom.ir.types import BOOL, INT, LONG, OptionalType
from loom.plan.code.bodies import steps
from loom.plan.steps import ExpectCompared

HTTP_PORT = Literal(type=LONG, text="8080")


def compared(actual: Expr, matcher: Matcher, expected: Expr, *, negated: bool = False) -> Compare:
    (step,) = steps((Expect(actual=actual, matcher=matcher, expected=expected, negated=negated),))
    assert isinstance(step, ExpectCompared) and step.negated is negated
    assert (step.comparison.type, step.comparison.left, step.comparison.right) == (BOOL, actual, expected)
    return step.comparison


@pytest.mark.parametrize("matcher", Matcher)
@pytest.mark.parametrize("negated", [True, False])
def test_matcher_is_an_operator_in_the_domain_of_what_is_looked_at(matcher: Matcher, negated: bool) -> None:
    """By the words of its name; `not` stays apart, for some targets have a word for it."""
    found = compared(HTTP_PORT, matcher, Literal(type=INT, text="1"), negated=negated)
    words = matcher.value
    plain = Comparison.GT if "Greater" in words else Comparison.LT if "Less" in words else Comparison.EQ
    with_equal = {Comparison.GT: Comparison.GE, Comparison.LT: Comparison.LE}
    assert found.op is (with_equal[plain] if words.endswith("OrEqual") else plain)
    assert found.domain is Domain.LONG


def test_absence_is_expected_of_what_may_be_absent() -> None:
    kind = OptionalType(of=INT)
    assert compared(Null(type=kind), Matcher.TO_BE, Null(type=kind)).domain is Domain.INT
