"""The tables of the language: which Python text stands for which operator and function.

Functions with a lambda have holes of their own: 0 the collection, 1 the variable, 2 the body, 3 the body as a test,
4 what comes behind it.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.backends.python.text.shapes import AND, COMPARISON, OR, SUM
from loom.emit.renderer import Form, Op, Spelling
from loom.ir.expressions import Arithmetic, Comparison, Domain, Fn, Logic

_INTEGERS = ("app.values:integers",)
_DECIMALS = ("app.values:decimals",)
_TEXTS = ("app.values:texts",)
_INSTANTS = ("app.values:instants",)
_SEQUENCES = ("app.values:sequences",)


def _checked(op: str, bits: int) -> Form:
    return Form(f"integers.int{bits}({{0!}} {op} {{1!}})", _INTEGERS)


def _decimal(name: str) -> Form:
    return Form(f"decimals.{name}({{0}}, {{1}})", _DECIMALS)


_NUMBERS: Mapping[tuple[Arithmetic, Domain], Spelling] = {
    **{(op, Domain.INT): _checked(op.value, 32) for op in (Arithmetic.ADD, Arithmetic.SUBTRACT, Arithmetic.MULTIPLY)},
    **{(op, Domain.LONG): _checked(op.value, 64) for op in (Arithmetic.ADD, Arithmetic.SUBTRACT, Arithmetic.MULTIPLY)},
    (Arithmetic.REMAINDER, Domain.INT): Form("integers.remainder({0}, {1})", _INTEGERS),
    (Arithmetic.REMAINDER, Domain.LONG): Form("integers.remainder({0}, {1})", _INTEGERS),
    (Arithmetic.REMAINDER, Domain.DECIMAL): _decimal("remainder"),
    **{
        (op, domain): _decimal(name)
        for domain in (Domain.DECIMAL, Domain.MONEY)
        for op, name in (
            (Arithmetic.ADD, "add"),
            (Arithmetic.SUBTRACT, "subtract"),
            (Arithmetic.MULTIPLY, "multiply"),
            (Arithmetic.DIVIDE, "divide"),
        )
    },
}

ARITHMETIC: Mapping[tuple[Arithmetic, Domain], Spelling] = {
    **_NUMBERS,
    (Arithmetic.ADD, Domain.STRING): Op("+", SUM),
    (Arithmetic.ADD, Domain.DATETIME): Form("instants.later({0}, {1})", _INSTANTS),
    (Arithmetic.SUBTRACT, Domain.DATETIME): Form("instants.earlier({0}, {1})", _INSTANTS),
    (Arithmetic.ADD, Domain.DURATION): Form("instants.checked({0!} + {1!})", _INSTANTS),
    (Arithmetic.SUBTRACT, Domain.DURATION): Form("instants.checked({0!} - {1!})", _INSTANTS),
    (Arithmetic.MULTIPLY, Domain.DURATION): Form("instants.multiplied({0}, {1})", _INSTANTS),
}

LOGIC: Mapping[Logic, Op] = {Logic.OR: Op("or", OR), Logic.AND: Op("and", AND)}
COMPARE: Mapping[tuple[Comparison, Domain], Spelling] = {
    (op, domain): Op(op.value, COMPARISON, chains=False) for op in Comparison for domain in Domain
}
COMPARE_NONE: Mapping[Comparison, str] = {Comparison.EQ: "{} is None", Comparison.NE: "{} is not None"}

NOT_IN = Form("{1!} not in {0!}", (), COMPARISON)
CALL: Mapping[Fn | tuple[Fn, Domain], Form] = {
    Fn.LENGTH: Form("len({0})"),
    Fn.TRIM: Form("texts.trim({0})", _TEXTS),
    Fn.TO_UPPER: Form("{0!}.upper()"),
    Fn.TO_LOWER: Form("{0!}.lower()"),
    Fn.SUBSTRING: Form("texts.substring({*})", _TEXTS),
    Fn.STARTS_WITH: Form("{0!}.startswith({1})"),
    Fn.ENDS_WITH: Form("{0!}.endswith({1})"),
    Fn.STRING_CONTAINS: Form("{1!} in {0!}", (), COMPARISON),
    Fn.REPLACE: Form("{0!}.replace({1}, {2})"),
    Fn.SPLIT: Form("texts.split({0}, {1})", _TEXTS),
    Fn.MATCHES: Form("re.search({1}, {0})", ("re",)),
    Fn.ABS: Form("decimals.decimal(abs({0}))", _DECIMALS),
    (Fn.ABS, Domain.INT): Form("integers.int32(abs({0}))", _INTEGERS),
    (Fn.ABS, Domain.LONG): Form("integers.int64(abs({0}))", _INTEGERS),
    Fn.NUMBER_MIN: Form("min({0}, {1})"),
    Fn.NUMBER_MAX: Form("max({0}, {1})"),
    Fn.DIV_TRUNC: Form("integers.int64(integers.truncated_quotient({0}, {1}))", _INTEGERS),
    (Fn.DIV_TRUNC, Domain.INT): Form("integers.int32(integers.truncated_quotient({0}, {1}))", _INTEGERS),
    Fn.ROUND: Form("decimals.round_half_away({*})", _DECIMALS),
    Fn.FLOOR: Form("decimals.floor({0})", _DECIMALS),
    Fn.CEIL: Form("decimals.ceil({0})", _DECIMALS),
    Fn.START_OF_DAY: Form("instants.start_of_day({0})", _INSTANTS),
    Fn.DAYS: Form("instants.duration(days={0})", _INSTANTS),
    Fn.HOURS: Form("instants.duration(hours={0})", _INSTANTS),
    Fn.MINUTES: Form("instants.duration(minutes={0})", _INSTANTS),
    Fn.COUNT: Form("len({0})"),
    Fn.SUM: Form("sequences.int32_sum({2} for {1} in {0})", _SEQUENCES),
    (Fn.SUM, Domain.LONG): Form("sequences.int64_sum({2} for {1} in {0})", _SEQUENCES),
    (Fn.SUM, Domain.DECIMAL): Form("sequences.decimal_sum({2} for {1} in {0})", _SEQUENCES),
    (Fn.SUM, Domain.MONEY): Form("sequences.decimal_sum({2} for {1} in {0})", _SEQUENCES),
    Fn.AVG: Form("sequences.average({2} for {1} in {0})", _SEQUENCES),
    Fn.MIN: Form("min(({2} for {1} in {0}), default=None)"),
    Fn.MAX: Form("max(({2} for {1} in {0}), default=None)"),
    Fn.ALL: Form("all({2} for {1} in {0})"),
    Fn.ANY: Form("any({2} for {1} in {0})"),
    Fn.WHERE: Form("[{1} for {1} in {0} if {3}]"),
    Fn.MAP: Form("[{2} for {1} in {0}]"),
    Fn.FIRST: Form("sequences.first({0})", _SEQUENCES),
    Fn.FIRST_OR_NULL: Form("next(iter({0}), None)"),
    Fn.CONTAINS: Form("{1!} in {0!}", (), COMPARISON),
    Fn.SORT_BY: Form("sorted({0}, key=lambda {1}: {2}, reverse={4})"),
    Fn.DISTINCT: Form("sequences.distinct({0})", _SEQUENCES),
    Fn.TAKE: Form("sequences.take({0}, {1})", _SEQUENCES),
    Fn.SKIP: Form("sequences.skip({0}, {1})", _SEQUENCES),
    Fn.JOIN: Form("{1!}.join({0})"),
}
CONVERT: Mapping[tuple[Domain, Domain], Form] = {
    **{
        (source, target): Form("Decimal({0})", ("decimal:Decimal",))
        for source in (Domain.INT, Domain.LONG)
        for target in (Domain.DECIMAL, Domain.MONEY)
    },
    **{(source, Domain.STRING): Form("str({0})") for source in (Domain.INT, Domain.LONG, Domain.ENUM)},
    (Domain.DECIMAL, Domain.STRING): Form("decimals.decimal_text({0})", _DECIMALS),
    (Domain.MONEY, Domain.STRING): Form("decimals.money_text({0})", _DECIMALS),
    (Domain.BOOL, Domain.STRING): Form("texts.bool_text({0})", _TEXTS),
    (Domain.DATETIME, Domain.STRING): Form("instants.instant_text({0})", _INSTANTS),
}
# The same from left to right, for operands that can both be refused.
IN_ORDER: Mapping[Fn, Form] = {
    Fn.STRING_CONTAINS: Form("texts.contains({0}, {1})", _TEXTS),
    Fn.CONTAINS: Form("sequences.contains({0}, {1})", _SEQUENCES),
    Fn.JOIN: Form("texts.joined({0}, {1})", _TEXTS),
}
