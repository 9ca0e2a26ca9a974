"""Steps of unit tests as lines of pytest.

In: Plan steps. Out: lines. Never: a repository, which unit tests do not have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from loom.backends.python.code.steps import Steps, block
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
                return [f"assert {self.comparison(step)}"]
            case ExpectRefused(attempt=attempt):
                self.needs.update(["pytest", "app.errors:ServiceError"])
                return ["with pytest.raises(ServiceError):", *block(map(_unbound, self.step(attempt)))]
        assert_never(step)

    def comparison(self, step: Expect) -> str:
        operator = _MATCHERS[step.matcher][step.negated]
        actual, expected = self.renderer.inside_text(step.actual), self.renderer.inside_text(step.expected)
        if expected in ("True", "False", "None"):
            holds = (operator == "==") == (expected != "False")
            if expected == "None":
                return f"{actual} is {'' if operator == '==' else 'not '}None"
            return actual if holds else self.renderer.negated(step.actual)
        return f"{actual} {operator} {expected}"


def _unbound(line: str) -> str:
    """An attempt that must fail leaves nothing to name."""
    name, bound, value = line.partition(" = ")
    return value if bound and name.isidentifier() else line
