"""Random arithmetic: numbers, instants and durations.

In: a type, a site. Out: strategies.
"""

from __future__ import annotations

from hypothesis import strategies as st

from loom.ir.expressions import Arithmetic, Arithmetics, Convert, Domain, Expr, Fn, Negate
from loom.ir.types import DATETIME, DECIMAL, DURATION, INT, LONG, MONEY, Scalar, Type
from tests.kit.expression_model import DOMAINS
from tests.kit.random_site import SMALL, Expressions, Site, call, digits, one_call


def arithmetic(type_: Scalar, site: Site) -> Expressions:
    if type_ == MONEY:
        scaled = st.tuples(st.sampled_from([Arithmetic.MULTIPLY, Arithmetic.DIVIDE]), site.of(MONEY), site.of(DECIMAL))
        return chain(type_, (Arithmetic.ADD, Arithmetic.SUBTRACT), site) | scaled.map(
            lambda drawn: Arithmetics(type=MONEY, op=drawn[0], domain=Domain.MONEY, operands=drawn[1:])
        )
    return chain(type_, (Arithmetic.ADD, Arithmetic.SUBTRACT, Arithmetic.MULTIPLY, Arithmetic.REMAINDER), site)


def chain(type_: Scalar, operators: tuple[Arithmetic, ...], site: Site) -> Expressions:
    """Two operands, or up to four where the operator is associative."""

    def build(op: Arithmetic, operands: list[Expr]) -> Expr:
        kept = operands if op in (Arithmetic.ADD, Arithmetic.MULTIPLY) else operands[:2]
        return Arithmetics(type=type_, op=op, domain=DOMAINS[type_], operands=tuple(kept))

    return st.builds(build, st.sampled_from(operators), st.lists(site.of(type_), min_size=2, max_size=4))


def quotient(site: Site) -> Expressions:
    return st.builds(
        lambda a, b: Arithmetics(type=DECIMAL, op=Arithmetic.DIVIDE, domain=Domain.DECIMAL, operands=(a, b)),
        site.of(DECIMAL),
        site.of(DECIMAL),
    )


def widened(type_: Scalar, sources: tuple[Type, ...], site: Site) -> Expressions:
    return site.of_any(sources, lambda source: site.of(source).map(lambda e: Convert(type=type_, operand=e)))


def negation(type_: Scalar, site: Site) -> Expressions:
    return site.of(type_).map(lambda e: Negate(type=type_, domain=DOMAINS[type_], operand=e))


def number_function(type_: Scalar, site: Site) -> Expressions:
    operand = site.of(type_)
    made = one_call(type_, [Fn.NUMBER_MIN, Fn.NUMBER_MAX], operand, operand)
    if type_ in (INT, LONG):
        return made | call(type_, Fn.ABS, operand)
    places = digits(INT, ("0", "1", "4", "12"))
    return (
        made | one_call(type_, [Fn.ABS, Fn.ROUND, Fn.FLOOR, Fn.CEIL], operand) | call(type_, Fn.ROUND, operand, places)
    )


def moved(site: Site) -> Expressions:
    return st.builds(
        lambda op, a, b: Arithmetics(type=DATETIME, op=op, domain=Domain.DATETIME, operands=(a, b)),
        st.sampled_from([Arithmetic.ADD, Arithmetic.SUBTRACT]),
        site.of(DATETIME),
        site.of(DURATION),
    )


def durations(site: Site) -> list[Expressions]:
    def built(op: Arithmetic, domain: Domain, left: Type, right: Type) -> Expressions:
        return st.builds(
            lambda a, b: Arithmetics(type=DURATION, op=op, domain=domain, operands=(a, b)),
            site.of(left),
            site.of(right),
        )

    units = one_call(DURATION, [Fn.DAYS, Fn.HOURS, Fn.MINUTES], digits(INT, SMALL) if site.depth <= 0 else site.of(INT))
    if site.depth <= 0:
        return [units]
    return [
        units,
        built(Arithmetic.SUBTRACT, Domain.DATETIME, DATETIME, DATETIME),
        chain(DURATION, (Arithmetic.ADD, Arithmetic.SUBTRACT), site),
        built(Arithmetic.MULTIPLY, Domain.DURATION, DURATION, INT),
        negation(DURATION, site),
    ]
