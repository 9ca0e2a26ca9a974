"""Steps of unit tests as lines of pytest.

In: Plan steps. Out: lines. Never: a repository, which unit tests do not have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from loom.backends.python.code.renderer import opposite
from loom.backends.python.code.steps import Steps
from loom.backends.python.text.blocks import block
from loom.backends.python.text.statements import Statement
from loom.ir.expressions import Compare, Comparison, Literal
from loom.ir.types import BOOL
from loom.plan.steps import ExpectCompared, ExpectRefused


class UnitTestSteps(Steps):
    """Bodies of unit tests."""

    def expected(self, step: ExpectCompared | ExpectRefused) -> Iterable[str]:
        match step:
            case ExpectCompared(comparison=comparison, negated=negated):
                return [self.asserted(opposite(comparison) if negated else comparison)]
            case ExpectRefused(attempt=attempt):
                self.needs.update(["pytest", "app.errors:ServiceError"])
                return ["with pytest.raises(ServiceError):", *block(map(_unbound, self.step(attempt)))]
        assert_never(step)

    def asserted(self, e: Compare) -> Statement:
        """A comparison with a written truth is that truth of the other side; mypy takes it as said from then on."""
        match e.right:
            case Literal(text="true" | "false" as text) if e.right.type == BOOL:
                said, truth = e.left, (e.op is Comparison.EQ) is (text == "true")
            case _:
                said, truth = e, True
        line = self.renderer.line(said) if truth else self.renderer.negated(said)
        self.renderer.known = self.renderer.narrowing.given(said, truth, self.renderer.known)
        return Statement("assert ", line)


def _unbound(line: str) -> str:
    """An attempt that must fail leaves nothing to name."""
    if isinstance(line, Statement) and not line.depth and line.parts[0].removesuffix(" = ").isidentifier():
        return Statement("", *line.parts[1:])
    return line
