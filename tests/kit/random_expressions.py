"""Random well-typed expressions over locals with nasty names, for comparing backends with the reference."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from hypothesis import strategies as st

from loom.ir.expressions import (
    Arithmetic,
    Arithmetics,
    Call,
    Compare,
    Comparison,
    Conditional,
    Convert,
    Domain,
    Expr,
    Fn,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Logic,
    Logical,
    Negate,
    Not,
)
from loom.ir.types import BOOL, DECIMAL, INT, LONG, MONEY, STRING, ArrayType, Scalar, Type

LOCALS: dict[str, tuple[Scalar, Any]] = {
    "class": (INT, 7),
    "unitCount": (INT, -3),
    "largestInt": (INT, 2**31 - 1),
    "from": (LONG, 9007199254740993),
    "serialNumberOfTheVeryLongInstrumentNameThatNeverFitsOnOneLine": (LONG, -(2**63)),
    "HTTPRatio": (DECIMAL, Fraction("2.5")),
    "lambda": (DECIMAL, Fraction("-0.000000000001")),
    "end": (MONEY, Fraction("10.005")),
    "unitPrice": (MONEY, Fraction("-1234.5678")),
    "def": (STRING, "  Straße 🜁 ΑΣ\t"),
    "emptyText": (STRING, ""),
    "isOpen": (BOOL, True),
    "new": (BOOL, False),
}

_NUMBERS = {INT: Domain.INT, LONG: Domain.LONG, DECIMAL: Domain.DECIMAL, MONEY: Domain.MONEY}
_TEXTS = st.text(alphabet="abzß🜁Σ \t\"'\\`{}$%\n", max_size=5)

Expressions = st.SearchStrategy[Expr]


@cache
def of_type(type_: Scalar, depth: int) -> Expressions:
    """Expressions of `type_`, at most `depth` operators deep."""
    if depth <= 0:
        return leaf(type_)
    inner = depth - 1
    branches = [leaf(type_), conditional(type_, inner)]
    if type_ == BOOL:
        branches += [comparison(inner), logic(inner), text_test(inner), list_test(inner)]
    elif type_ == STRING:
        branches += [concatenation(inner), text_function(inner)]
    else:
        branches += [arithmetic(type_, inner), number_function(type_, inner), negation(type_, inner)]
    if type_ == DECIMAL:
        branches += [widened(inner), quotient(inner)]
    if type_ == INT:
        branches += [truncation(inner), list_total(inner), text_length(inner)]
    return st.one_of(branches)


def leaf(type_: Scalar) -> Expressions:
    named: Expressions = st.sampled_from([name for name, (kind, _) in LOCALS.items() if kind == type_]).map(
        lambda name: Local(type=type_, name=name)
    )
    return named | literal(type_)


def literal(type_: Scalar) -> Expressions:
    if type_ == BOOL:
        texts = st.sampled_from(["true", "false"])
    elif type_ == STRING:
        texts = _TEXTS
    elif type_ in (INT, LONG):
        texts = st.sampled_from(["0", "1", "2", "10", "60", "46341", "2147483647"])
    else:
        texts = st.sampled_from(["0", "0.5", "0.1", "1.5", "2.25", "999999999999.9999", "0.0001"])
    return texts.map(lambda text: Literal(type=type_, text=text))


def conditional(type_: Scalar, depth: int) -> Expressions:
    return st.builds(
        lambda c, a, b: Conditional(type=type_, condition=c, then=a, otherwise=b),
        of_type(BOOL, depth),
        of_type(type_, depth),
        of_type(type_, depth),
    )


def arithmetic(type_: Scalar, depth: int) -> Expressions:
    if type_ == MONEY:
        return st.one_of(
            chain(type_, (Arithmetic.ADD, Arithmetic.SUBTRACT), of_type(MONEY, depth)),
            st.builds(
                lambda op, left, right: Arithmetics(type=MONEY, op=op, domain=Domain.MONEY, operands=(left, right)),
                st.sampled_from([Arithmetic.MULTIPLY, Arithmetic.DIVIDE]),
                of_type(MONEY, depth),
                of_type(DECIMAL, depth),
            ),
        )
    operators = (Arithmetic.ADD, Arithmetic.SUBTRACT, Arithmetic.MULTIPLY, Arithmetic.REMAINDER)
    return chain(type_, operators, of_type(type_, depth))


def chain(type_: Scalar, operators: tuple[Arithmetic, ...], operand: Expressions) -> Expressions:
    """Two operands, or up to four where the operator is associative."""

    def build(op: Arithmetic, operands: list[Expr]) -> Expr:
        kept = operands if op in (Arithmetic.ADD, Arithmetic.MULTIPLY) else operands[:2]
        return Arithmetics(type=type_, op=op, domain=_NUMBERS[type_], operands=tuple(kept))

    return st.builds(build, st.sampled_from(operators), st.lists(operand, min_size=2, max_size=4))


def quotient(depth: int) -> Expressions:
    return st.builds(
        lambda a, b: Arithmetics(type=DECIMAL, op=Arithmetic.DIVIDE, domain=Domain.DECIMAL, operands=(a, b)),
        of_type(DECIMAL, depth),
        of_type(DECIMAL, depth),
    )


def widened(depth: int) -> Expressions:
    inner = of_type(INT, depth) | of_type(LONG, depth)
    return inner.map(lambda e: Convert(type=DECIMAL, operand=e))


def negation(type_: Scalar, depth: int) -> Expressions:
    return of_type(type_, depth).map(lambda e: Negate(type=type_, domain=_NUMBERS[type_], operand=e))


def number_function(type_: Scalar, depth: int) -> Expressions:
    operand = of_type(type_, depth)
    binary = st.builds(
        lambda fn, a, b: Call(type=type_, fn=fn, arguments=(a, b)),
        st.sampled_from([Fn.NUMBER_MIN, Fn.NUMBER_MAX]),
        operand,
        operand,
    )
    if type_ in (INT, LONG):
        return binary | operand.map(lambda e: Call(type=type_, fn=Fn.ABS, arguments=(e,)))
    unary = st.builds(
        lambda fn, e: Call(type=type_, fn=fn, arguments=(e,)),
        st.sampled_from([Fn.ABS, Fn.ROUND, Fn.FLOOR, Fn.CEIL]),
        operand,
    )
    places = st.sampled_from(["0", "1", "4", "12"]).map(lambda text: Literal(type=INT, text=text))
    return binary | unary | st.builds(lambda e, p: Call(type=type_, fn=Fn.ROUND, arguments=(e, p)), operand, places)


def truncation(depth: int) -> Expressions:
    return st.builds(
        lambda a, b: Call(type=INT, fn=Fn.DIV_TRUNC, arguments=(a, b)), of_type(INT, depth), of_type(INT, depth)
    )


def comparison(depth: int) -> Expressions:
    def build(op: Comparison, pair: tuple[Expr, Expr], domain: Domain) -> Expr:
        return Compare(type=BOOL, op=op, domain=domain, left=pair[0], right=pair[1])

    kinds = [
        (INT, Domain.INT),
        (LONG, Domain.LONG),
        (DECIMAL, Domain.DECIMAL),
        (MONEY, Domain.MONEY),
        (STRING, Domain.STRING),
    ]
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.builds(
            build,
            st.sampled_from(list(Comparison)),
            st.tuples(of_type(kind[0], depth), of_type(kind[0], depth)),
            st.just(kind[1]),
        )
    )


def logic(depth: int) -> Expressions:
    chained = st.builds(
        lambda op, operands: Logical(type=BOOL, op=op, operands=tuple(operands)),
        st.sampled_from(list(Logic)),
        st.lists(of_type(BOOL, depth), min_size=2, max_size=4),
    )
    return chained | of_type(BOOL, depth).map(lambda e: Not(type=BOOL, operand=e))


def concatenation(depth: int) -> Expressions:
    printable = st.sampled_from([INT, LONG, DECIMAL, MONEY, BOOL]).flatmap(
        lambda type_: of_type(type_, depth).map(lambda e: Convert(type=STRING, operand=e))
    )
    operands = st.lists(of_type(STRING, depth) | printable, min_size=2, max_size=4)
    return operands.map(
        lambda items: Arithmetics(type=STRING, op=Arithmetic.ADD, domain=Domain.STRING, operands=tuple(items))
    )


def text_function(depth: int) -> Expressions:
    text = of_type(STRING, depth)
    number = st.sampled_from(["0", "1", "3", "100"]).map(lambda digits: Literal(type=INT, text=digits))
    pattern = st.sampled_from(["a", "ß", "🜁", "$", "\\"]).map(lambda part: Literal(type=STRING, text=part))
    return st.one_of(
        st.builds(
            lambda fn, e: Call(type=STRING, fn=fn, arguments=(e,)),
            st.sampled_from([Fn.TRIM, Fn.TO_UPPER, Fn.TO_LOWER]),
            text,
        ),
        st.builds(lambda e, n: Call(type=STRING, fn=Fn.SUBSTRING, arguments=(e, n)), text, number),
        st.builds(lambda e, n, m: Call(type=STRING, fn=Fn.SUBSTRING, arguments=(e, n, m)), text, number, number),
        st.builds(
            lambda e, a, b: Call(type=STRING, fn=Fn.REPLACE, arguments=(e, a, b)), text, pattern, literal(STRING)
        ),
    )


def text_test(depth: int) -> Expressions:
    return st.builds(
        lambda fn, e, part: Call(type=BOOL, fn=fn, arguments=(e, part)),
        st.sampled_from([Fn.STARTS_WITH, Fn.ENDS_WITH, Fn.STRING_CONTAINS]),
        of_type(STRING, depth),
        of_type(STRING, depth),
    )


def text_length(depth: int) -> Expressions:
    return of_type(STRING, depth).map(lambda e: Call(type=INT, fn=Fn.LENGTH, arguments=(e,)))


@cache
def integers(depth: int) -> Expressions:
    return st.lists(of_type(INT, depth), min_size=1, max_size=3).map(
        lambda items: ListLiteral(type=ArrayType(of=INT), items=tuple(items))
    )


def over(body: Expr, type_: Type) -> Lambda:
    return Lambda(type=type_, parameter="eachItem", parameter_type=INT, body=body)


def list_total(depth: int) -> Expressions:
    doubled = Arithmetics(
        type=INT,
        op=Arithmetic.ADD,
        domain=Domain.INT,
        operands=(Local(type=INT, name="eachItem"), Local(type=INT, name="class")),
    )
    return integers(depth).map(lambda items: Call(type=INT, fn=Fn.SUM, arguments=(items, over(doubled, INT))))


def list_test(depth: int) -> Expressions:
    positive = Compare(
        type=BOOL,
        op=Comparison.GT,
        domain=Domain.INT,
        left=Local(type=INT, name="eachItem"),
        right=Local(type=INT, name="unitCount"),
    )
    return st.builds(
        lambda fn, items: Call(type=BOOL, fn=fn, arguments=(items, over(positive, BOOL))),
        st.sampled_from([Fn.ALL, Fn.ANY]),
        integers(depth),
    )


def any_expression(depth: int = 4) -> Expressions:
    return st.sampled_from([INT, LONG, DECIMAL, MONEY, STRING, BOOL]).flatmap(lambda type_: of_type(type_, depth))
