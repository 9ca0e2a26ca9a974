"""Unit tests of the model as vitest suites.

In: TestPlans. Out: the view of one suite a subject.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.steps import Steps
from loom.backends.node.domain import imports_of
from loom.backends.node.http.workflows import created
from loom.backends.node.model import Model
from loom.backends.node.spelling import quoted
from loom.backends.node.text import shapes
from loom.backends.node.views import TestsView
from loom.ir.expressions import Comparison, Domain, Expr
from loom.ir.statements import CreateInstance, Invoke, Let
from loom.plan.model import TestPlan
from loom.plan.steps import ExpectCompared, ExpectRefused, Step

_MATCHERS = {
    Comparison.EQ: "toEqual",
    Comparison.GT: "toBeGreaterThan",
    Comparison.GE: "toBeGreaterThanOrEqual",
    Comparison.LT: "toBeLessThan",
    Comparison.LE: "toBeLessThanOrEqual",
}
_NATIVE = (Domain.INT, Domain.LONG)


def tests_view(model: Model, subject: str, tests: Iterable[TestPlan], home: str) -> TestsView:
    renderer = NodeRenderer(model)
    for name in ("describe", "expect", "test"):
        renderer.needs.value("vitest", name)
    texts = [shapes.indented(_test(renderer.at("this"), item)) for item in tests]
    return TestsView(subject=quoted(subject), tests="\n\n  ".join(texts), imports=imports_of(home, renderer))


def _test(renderer: NodeRenderer, plan: TestPlan) -> str:
    return f"test({quoted(plan.name)}, () => {shapes.braced(TestSteps(renderer).block(plan.body))});"


class TestSteps(Steps):
    """The body of a test: aggregates live in memory, expectations are vitest's."""

    __test__ = False

    def step(self, step: Step) -> list[str]:
        match step:
            case CreateInstance(name=name):
                if not self.is_read(name):
                    return [f"{created(self.renderer, step)};"]
                made = shapes.atom(created(self.renderer, step))
                spelled = self.bind(name)
                self.renderer.scope[name] = spelled
                return [shapes.assigned(f"const {spelled}", made)]
            case ExpectCompared():
                return [self.expect(step)]
            case ExpectRefused(attempt=attempt):
                return [f"{self.attempt(attempt)}.toThrow();"]
            case _:
                return super().step(step)

    def expect(self, step: ExpectCompared) -> str:
        negated, e = ".not" if step.negated else "", step.comparison
        if e.op is not Comparison.EQ and e.domain not in _NATIVE:
            return self.matched(e, f"{negated}.toBe", ["true"])
        return self.matched(e.left, f"{negated}.{_MATCHERS[e.op]}", [self.renderer.argument(e.right)])

    def matched(self, actual: Expr, matcher: str, arguments: list[str]) -> str:
        return f"{shapes.call('expect', [self.renderer.argument(actual)])}{shapes.call(matcher, arguments)};"

    def attempt(self, step: Step) -> str:
        match step:
            case CreateInstance():
                return f"expect(() => {created(self.renderer, step)})"
            case Let(value=value):
                return f"expect(() => {self.renderer.argument(value)})"
            case Invoke():
                return f"expect(() => {shapes.braced([self.invoke(step)])})"
            case _:
                return f"expect(() => {shapes.braced(self.step(step))})"
