"""Random expressions are worth on every backend what the reference says, and look as its formatter leaves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.text.shapes import CONDITIONAL, EQUALITY, text
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.text.shapes import COMPARISON, OR
from loom.emit.layout import Doc
from loom.emit.renderer import Code, Form, Op, Renderer, Spelling
from loom.ir.expressions import (
    Arithmetic,
    Call,
    Compare,
    Comparison,
    Domain,
    Expr,
    Fn,
    ListLiteral,
    Logic,
)
from loom.plan.code.comparisons import settle
from loom.plan.code.rewrite import rewrite
from tests.conformance.test_semantics import expressions
from tests.kit import node_expressions, python_expressions
from tests.kit.expression_model import LOCALS
from tests.kit.expression_parts import closed_parts, parts_of, size
from tests.kit.expression_runs import Target, reference
from tests.kit.node_expressions import NODE
from tests.kit.python_expressions import PYTHON
from tests.kit.random_expressions import any_expression

TARGETS = [PYTHON, NODE]
COUNT = 2500
# Layouts are sampled the same each time, and no deeper than is known to agree.
LAYOUTS = [(PYTHON, 400, 4), (NODE, 600, 4)]

Folder = Callable[[Target], Path]


def drawn(count: int, depth: int, *, always_the_same: bool = False) -> list[Expr]:
    """So many random expressions; running them waits until there is a whole batch."""
    batch: list[Expr] = []

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=always_the_same,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(any_expression(depth))
    def collect(e: Expr) -> None:
        batch.append(e)

    collect()
    return batch


@pytest.fixture(scope="module")
def batch() -> list[Expr]:
    return drawn(COUNT, depth=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A service of the target, into which modules can be put."""
    known: dict[str, Path] = {}

    def prepared(target: Target) -> Path:
        if target.name not in known:
            known[target.name] = tmp_path_factory.mktemp(target.name)
            target.prepare(known[target.name])
        return known[target.name]

    return prepared


def wrong(target: Target, folder: Path, batch: Sequence[Expr]) -> list[Expr]:
    """Those on which the target and the reference disagree."""
    found = target.run(folder, target.module(batch, LOCALS), batch)
    return [e for e, here, there in zip(batch, found, reference(batch), strict=True) if here != there]


def smallest(target: Target, folder: Path, failing: Sequence[Expr]) -> str:
    """The smallest part of failing expressions that fails by itself, and what it is worth here and there."""
    parts = list(dict.fromkeys(part for e in failing for part in closed_parts(e)))
    least = min(wrong(target, folder, parts) or failing, key=size)
    source = target.module([least], LOCALS)
    found = target.run(folder, source, [least])
    return f"{source[source.index('case') :]}\n{target.name}: {found[0]}\nreference: {reference([least])[0]}"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_random_expressions_agree_with_the_reference(target: Target, batch: list[Expr], folder: Folder) -> None:
    assert len(batch) >= COUNT
    failing = wrong(target, folder(target), batch)
    assert not failing, f"{len(failing)} of {len(batch)} differ, such as {smallest(target, folder(target), failing)}"


class AndBindsLikeOr(PythonRenderer):
    LOGIC: ClassVar[Mapping[Logic, Op]] = {Logic.AND: Op("and", OR), Logic.OR: Op("or", OR)}


class RightOperandIsBare(PythonRenderer):
    def inside(self, e: Expr, binds: int) -> Doc:
        is_right = binds > COMPARISON and isinstance(e, Compare)
        return self.code(e).doc if is_right else super().inside(e, binds)


class RemainderOfIntegersIsPythons(PythonRenderer):
    ARITHMETIC: ClassVar[Mapping[tuple[Arithmetic, Domain], Spelling]] = {
        **PythonRenderer.ARITHMETIC,
        (Arithmetic.REMAINDER, Domain.INT): Form("{0!} % {1!}"),
    }


class AndIsOr(NodeRenderer):
    LOGIC: ClassVar[Mapping[Logic, Op]] = {**NodeRenderer.LOGIC, Logic.AND: NodeRenderer.LOGIC[Logic.OR]}


class NothingIsWrapped(NodeRenderer):
    def wrapped(self, code: Code, binds: int) -> str:
        return text(code) if code.binds != CONDITIONAL else super().wrapped(code, binds)


class MoneyIsComparedAsAnObject(NodeRenderer):
    COMPARE: ClassVar[Mapping[tuple[Comparison, Domain], Spelling]] = {
        **NodeRenderer.COMPARE,
        (Comparison.EQ, Domain.MONEY): Op("===", EQUALITY, chains=False),
    }


class LeastIsGreatest(NodeRenderer):
    CALL: ClassVar[Mapping[Fn | tuple[Fn, Domain], Form]] = {
        **NodeRenderer.CALL,
        Fn.MIN: NodeRenderer.CALL[Fn.MAX],
    }


MISTAKES = [
    *((PYTHON, of) for of in (AndBindsLikeOr, RightOperandIsBare, RemainderOfIntegersIsPythons)),
    *((NODE, of) for of in (AndIsOr, NothingIsWrapped, MoneyIsComparedAsAnObject, LeastIsGreatest)),
]


@pytest.mark.parametrize(("target", "mistaken"), MISTAKES, ids=[of.__name__ for _, of in MISTAKES])
def test_a_mistake_in_a_renderer_is_seen(
    target: Target, mistaken: type[Renderer], batch: list[Expr], folder: Folder
) -> None:
    assert wrong(target.written_by(mistaken), folder(target), [*expressions(), *batch])


@pytest.mark.parametrize(("target", "count", "depth"), LAYOUTS, ids=[target.name for target, *_ in LAYOUTS])
def test_formatters_leave_random_expressions_as_they_are(
    target: Target, count: int, depth: int, folder: Folder
) -> None:
    batch = drawn(count, depth, always_the_same=True)
    if target is PYTHON:
        batch = [e for e in batch if not has(e, asks_a_list_in_brackets)]
    source = target.module(batch, LOCALS)
    assert max(map(len, source.splitlines())) > 90 and len(batch) > count / 2
    difference = target.unformatted(folder(target), source)
    assert not difference, difference[:4000]


def test_the_type_checker_of_node_accepts_random_expressions(folder: Folder) -> None:
    """It refuses comparisons that narrowing decides, lists without a type and what is declared and not read."""
    batch = [rewrite(e, settle) for e in drawn(600, 4, always_the_same=True)]
    assert len(batch) > 300
    assert not node_expressions.mistyped(folder(NODE), NODE.module(batch, LOCALS))


def test_the_type_checker_of_python_accepts_random_expressions(folder: Folder) -> None:
    """It refuses comparisons that narrowing decides."""
    batch = [rewrite(e, settle) for e in drawn(600, 4, always_the_same=True)]
    batch = [e for e in batch if not has(e, asks_an_empty_list)]
    assert len(batch) > 300
    assert not python_expressions.mistyped(folder(PYTHON), PYTHON.module(batch, LOCALS))


def has(e: Expr, wanted: Callable[[Expr], bool]) -> bool:
    return wanted(e) or any(has(part, wanted) for part in parts_of(e))


def asks_a_list_in_brackets(e: Expr) -> bool:
    """ruff has a layout of its own for that."""
    return isinstance(e, Call) and isinstance(e.arguments[0], ListLiteral)


def asks_an_empty_list(e: Expr) -> bool:
    """What is in one that is written where it is asked has no type for mypy."""
    return isinstance(e, Call) and has(e.arguments[0], lambda part: isinstance(part, ListLiteral) and not part.items)
