"""Steps of unit tests as lines of pytest.

In: Plan steps. Out: lines. Never: a repository, which unit tests do not have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from loom.backends.python.code.steps import Steps
from loom.backends.python.text.blocks import block
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import COMPARISON, Operators
from loom.backends.python.text.statements import Statement
from loom.ir.statements import Expect, Matcher
from loom.plan.steps import ExpectRefused

_MATCHERS = {
    Matcher.TO_BE: ("==", "!="),
    Matcher.TO_BE_SAME_INSTANT: ("==", "!="),
    Matcher.TO_BE_GREATER_THAN: (">", "<="),
    Matcher.TO_BE_GREATER_THAN_OR_EQUAL: (">=", "<"),
    Matcher.TO_BE_LESS_THAN: ("<", ">="),
    Matcher.TO_BE_LESS_THAN_OR_EQUAL: ("<=", ">"),
}


class UnitTestSteps(Steps):
    """Bodies of unit tests."""

    def expected(self, step: Expect | ExpectRefused) -> Iterable[str]:
        match step:
            case Expect():
                return [Statement("assert ", self.comparison(step))]
            case ExpectRefused(attempt=attempt):
                self.needs.update(["pytest", "app.errors:ServiceError"])
                return ["with pytest.raises(ServiceError):", *block(map(_unbound, self.step(attempt)))]
        assert_never(step)

    def comparison(self, step: Expect) -> str:
        operator = _MATCHERS[step.matcher][step.negated]
        actual, expected = self.renderer.operand(step.actual), self.renderer.operand(step.expected)
        if expected in ("True", "False", "None"):
            holds = (operator == "==") == (expected != "False")
            if expected == "None":
                return filled("{} is None" if operator == "==" else "{} is not None", actual)
            return actual if holds else self.renderer.negated(step.actual)
        return Operators([("", actual), (f"{operator} ", expected)], COMPARISON)


def _unbound(line: str) -> str:
    """An attempt that must fail leaves nothing to name."""
    if isinstance(line, Statement) and not line.depth and line.parts[0].removesuffix(" = ").isidentifier():
        return Statement("", *line.parts[1:])
    return line
