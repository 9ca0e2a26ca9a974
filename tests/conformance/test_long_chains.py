"""Chains of thousands of operands are worth what the reference says, and nested no deeper than short ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from pathlib import Path

import pytest

from loom.ir.expressions import Arithmetic, Arithmetics, Domain, Expr, Fn, Literal, Logic, Logical, Not
from loom.ir.types import BOOL, DATETIME, DECIMAL, DURATION, INT, LONG, MONEY, STRING, Type
from tests.kit.build import add, call, integer, literal, local
from tests.kit.expression_model import LOCALS
from tests.kit.expression_runs import Target, reference
from tests.kit.node_expressions import NODE, mistyped
from tests.kit.python_expressions import PYTHON

COUNT = 5000
TARGETS = pytest.mark.parametrize("target", [PYTHON, NODE], ids=lambda target: target.name)


def named(name: str) -> Expr:
    return local(name, LOCALS[name][0])


def remainder(divisor: int) -> Expr:
    operands = (named("class"), integer(divisor))
    return Arithmetics(type=INT, op=Arithmetic.REMAINDER, domain=Domain.INT, operands=operands)


def product(kind: Type, domain: Domain, *operands: Expr) -> Expr:
    return Arithmetics(type=kind, op=Arithmetic.MULTIPLY, domain=domain, operands=operands)


def logic(op: Logic, *operands: Expr) -> Expr:
    return Logical(type=BOOL, op=op, operands=operands)


def chains(count: int) -> Mapping[str, Expr]:
    """A chain of about so many operands of each kind that there is."""
    half = count // 2
    hours, minutes = (call(DURATION, fn, named("unitCount")) for fn in (Fn.HOURS, Fn.MINUTES))
    closed = Not(type=BOOL, operand=named("isOpen"))
    sunk = [literal(LONG, "-1"), literal(LONG, "1")] * half
    return {
        "integers": add(INT, Domain.INT, *[named("class"), named("unitCount")] * half),
        "an overflow before a division": add(INT, Domain.INT, *[named("largestInt")] * half, remainder(0)),
        "a division before an overflow": add(INT, Domain.INT, remainder(0), *[named("largestInt")] * half),
        "an overflow in the middle": add(INT, Domain.INT, *[integer(1)] * half, *[named("largestInt")] * half),
        "a division in the middle": add(INT, Domain.INT, *[integer(1)] * half, remainder(0), *[integer(1)] * half),
        "longs": product(LONG, Domain.LONG, named("from"), *sunk),
        "decimals": add(DECIMAL, Domain.DECIMAL, *[named("HTTPRatio"), named("lambda")] * half),
        "money": add(MONEY, Domain.MONEY, *[named("end"), named("unitPrice")] * half),
        "texts": add(STRING, Domain.STRING, *[named("def"), Literal(type=STRING, text="$e")] * half),
        "durations": add(DURATION, Domain.DURATION, *[hours, minutes] * half),
        "instants": add(DATETIME, Domain.DATETIME, named("now"), *[hours, minutes] * half),
        "all": logic(Logic.AND, *[named("isOpen")] * count, named("new")),
        "any": logic(Logic.OR, *[closed, named("new")] * half),
        "any of all": logic(Logic.OR, *[logic(Logic.AND, named("isOpen"), named("new"))] * half),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Target], Path]:
    def prepared(target: Target) -> Path:
        made = tmp_path_factory.mktemp(target.name)
        target.prepare(made)
        return made

    return prepared


@TARGETS
def test_a_long_chain_is_worth_what_the_reference_says_and_stays_as_it_is_laid_out(
    target: Target, folder: Callable[[Target], Path]
) -> None:
    found = chains(COUNT)
    batch, place = list(found.values()), folder(target)
    source = target.module(batch, LOCALS)
    outcomes = dict(zip(found, target.run(place, source, batch), strict=True))
    assert outcomes == dict(zip(found, reference(batch), strict=True))
    assert target.unformatted(place, source) == ""
    if target is NODE:
        assert mistyped(place, source) == ""


def depth(source: str) -> int:
    """How many brackets are open at most."""
    return max(accumulate((char in "([{") - (char in ")]}") for char in source))


@TARGETS
@pytest.mark.parametrize("kind", chains(2))
def test_what_is_emitted_grows_with_a_chain_in_length_alone(target: Target, kind: str) -> None:
    short, long = (target.module([chains(count)[kind]], LOCALS) for count in (500, 5000))
    assert depth(long) <= depth(short) + 3
    assert len(long) < 11 * len(short)
