"""What data can say of TypeScript: operators and built-in functions by domain.

In: nothing. Out: the tables of the renderer; what a form needs is `module:name`.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.backends.node.text.shapes import EQUALITY, PRODUCT, RELATION, SUM, UNARY
from loom.emit.renderer import Form, Op, Spelling
from loom.ir.expressions import Arithmetic, Comparison, Domain, Fn

_VALUES = "src/domain/values"


def _form(pattern: str, *needs: str, binds: int = 100) -> Form:
    return Form(pattern, tuple(f"{_VALUES}/{need}" for need in needs), binds)


def _int32(pattern: str, *needs: str) -> Form:
    return _form(f"int32({pattern})", "integers:int32", *needs)


def _decimal(pattern: str, name: str) -> Form:
    return _form(f"{name}({pattern})", f"decimals:{name}")


_DECIMALS = (Domain.DECIMAL, Domain.MONEY)
_ADD, _SUBTRACT, _MULTIPLY = Arithmetic.ADD, Arithmetic.SUBTRACT, Arithmetic.MULTIPLY

# The renderer wraps what these give: the result is checked (`int32(a + b)`), and so is a divisor. Durations too.
INTEGER_OPERATORS: Mapping[Arithmetic, Op] = {
    _ADD: Op("+", SUM),
    _SUBTRACT: Op("-", SUM),
    _MULTIPLY: Op("*", PRODUCT),
    Arithmetic.REMAINDER: Op("%", PRODUCT),
}
ARITHMETIC: Mapping[tuple[Arithmetic, Domain], Spelling] = {
    **{(op, domain): symbol for op, symbol in INTEGER_OPERATORS.items() for domain in (Domain.INT, Domain.LONG)},
    **{(_ADD, domain): _decimal("{0}, {1}", "plus") for domain in _DECIMALS},
    **{(_SUBTRACT, domain): _decimal("{0}, {1}", "minus") for domain in _DECIMALS},
    **{(_MULTIPLY, domain): _decimal("{0}, {1}", "times") for domain in _DECIMALS},
    **{(Arithmetic.DIVIDE, domain): _decimal("{0}, {1}", "dividedBy") for domain in _DECIMALS},
    (Arithmetic.REMAINDER, Domain.DECIMAL): _decimal("{0}, {1}", "remainder"),
    (_ADD, Domain.STRING): Op("+", SUM),
    (_ADD, Domain.DATETIME): _form("later({0}, {1})", "instants:later"),
    (_SUBTRACT, Domain.DATETIME): _form("earlier({0}, {1})", "instants:earlier"),
    **{(op, Domain.DURATION): INTEGER_OPERATORS[op] for op in (_ADD, _SUBTRACT, _MULTIPLY)},
}
ELAPSED = _form("elapsed({0}, {1})", "instants:elapsed")

DEEP_EQUAL = Form("isDeepStrictEqual({0}, {1})", ("node:util:isDeepStrictEqual",))
DEEP_UNEQUAL = Form("!isDeepStrictEqual({0}, {1})", ("node:util:isDeepStrictEqual",), UNARY)

_EQ, _NE = Comparison.EQ, Comparison.NE
_SAME = (Domain.INT, Domain.LONG, Domain.STRING, Domain.BOOL, Domain.DURATION, Domain.ENUM, Domain.ID, Domain.NULL)
_ORDERINGS = {
    Comparison.LT: "lessThan",
    Comparison.LE: "lessThanOrEqualTo",
    Comparison.GT: "greaterThan",
    Comparison.GE: "greaterThanOrEqualTo",
}
_NATIVE = (Domain.INT, Domain.LONG, Domain.DATETIME, Domain.DURATION)

COMPARE: Mapping[tuple[Comparison, Domain], Spelling] = {
    **{(_EQ, domain): Op("===", EQUALITY, chains=False) for domain in _SAME},
    **{(_NE, domain): Op("!==", EQUALITY, chains=False) for domain in _SAME},
    **{(_EQ, domain): Form("{0!}.equals({1})") for domain in _DECIMALS},
    **{(_NE, domain): Form("!{0!}.equals({1})", (), UNARY) for domain in _DECIMALS},
    (_EQ, Domain.DATETIME): Form("{0!}.getTime() === {1!}.getTime()", (), EQUALITY),
    (_NE, Domain.DATETIME): Form("{0!}.getTime() !== {1!}.getTime()", (), EQUALITY),
    (_EQ, Domain.STRUCTURE): DEEP_EQUAL,
    (_NE, Domain.STRUCTURE): DEEP_UNEQUAL,
    **{(op, domain): Op(op.value, RELATION, chains=False) for op in _ORDERINGS for domain in _NATIVE},
    **{(op, domain): Form(f"{{0!}}.{name}({{1}})") for op, name in _ORDERINGS.items() for domain in _DECIMALS},
    **{
        (op, Domain.STRING): _form(f"compareTexts({{0}}, {{1}}) {op.value} 0", "texts:compareTexts", binds=RELATION)
        for op in _ORDERINGS
    },
}

_BY_VALUE = (*_DECIMALS, Domain.DATETIME, Domain.STRUCTURE)
CALL: Mapping[Fn | tuple[Fn, Domain], Form] = {
    Fn.LENGTH: _form("textLength({0})", "texts:textLength"),
    Fn.TRIM: _form("trim({0})", "texts:trim"),
    Fn.TO_UPPER: Form("{0!}.toUpperCase()"),
    Fn.TO_LOWER: Form("{0!}.toLowerCase()"),
    Fn.SUBSTRING: _form("substring({0}, {1}, {2})", "texts:substring"),
    Fn.STARTS_WITH: Form("{0!}.startsWith({1})"),
    Fn.ENDS_WITH: Form("{0!}.endsWith({1})"),
    Fn.STRING_CONTAINS: Form("{0!}.includes({1})"),
    Fn.REPLACE: _form("replaceAll({0}, {1}, {2})", "texts:replaceAll"),
    Fn.SPLIT: _form("split({0}, {1})", "texts:split"),
    Fn.MATCHES: Form("{1!}.test({0})"),
    Fn.ABS: _form("absolute({0})", "decimals:absolute"),
    (Fn.ABS, Domain.INT): _int32("Math.abs({0})"),
    (Fn.ABS, Domain.LONG): _form("absoluteLong({0})", "integers:absoluteLong"),
    Fn.NUMBER_MIN: _form("Decimal.min({0}, {1})", "decimals:Decimal"),
    (Fn.NUMBER_MIN, Domain.INT): Form("Math.min({0}, {1})"),
    (Fn.NUMBER_MIN, Domain.LONG): _form("lesserLong({0}, {1})", "integers:lesserLong"),
    Fn.NUMBER_MAX: _form("Decimal.max({0}, {1})", "decimals:Decimal"),
    (Fn.NUMBER_MAX, Domain.INT): Form("Math.max({0}, {1})"),
    (Fn.NUMBER_MAX, Domain.LONG): _form("greaterLong({0}, {1})", "integers:greaterLong"),
    Fn.DIV_TRUNC: Form("{0!} / {1!}", (), PRODUCT),  # checked by the renderer, as all of integers
    Fn.ROUND: _form("round({0}, {1})", "decimals:round"),
    Fn.FLOOR: _form("floor({0})", "decimals:floor"),
    Fn.CEIL: _form("ceil({0})", "decimals:ceil"),
    Fn.START_OF_DAY: _form("startOfDay({0})", "instants:startOfDay"),
    Fn.DAYS: _form("days({0})", "instants:days"),
    Fn.HOURS: _form("hours({0})", "instants:hours"),
    Fn.MINUTES: _form("minutes({0})", "instants:minutes"),
    Fn.COUNT: Form("{0!}.length"),
    Fn.SUM: _form("sumOfDecimals({0}, {1})", "collections:sumOfDecimals"),
    (Fn.SUM, Domain.INT): _form("sumOfInts({0}, {1})", "collections:sumOfInts"),
    (Fn.SUM, Domain.LONG): _form("sumOfLongs({0}, {1})", "collections:sumOfLongs"),
    Fn.AVG: _form("averageOf({0}, {1})", "collections:averageOf"),
    Fn.MIN: _form("leastOf({0}, {1})", "collections:leastOf"),
    Fn.MAX: _form("greatestOf({0}, {1})", "collections:greatestOf"),
    Fn.ALL: Form("{0!}.every({1})"),
    Fn.ANY: Form("{0!}.some({1})"),
    Fn.WHERE: Form("{0!}.filter({1})"),
    Fn.MAP: Form("{0!}.map({1})"),
    Fn.FIRST: _form("first({0})", "collections:first"),
    Fn.FIRST_OR_NULL: _form("firstOrNull({0})", "collections:firstOrNull"),
    Fn.CONTAINS: Form("{0!}.includes({1})"),
    **{(Fn.CONTAINS, domain): _form("contains({0}, {1})", "collections:contains") for domain in _BY_VALUE},
    Fn.SORT_BY: _form("sortedBy({0}, {1})", "collections:sortedBy"),
    Fn.DISTINCT: _form("distinct({0})", "collections:distinct"),
    Fn.TAKE: _form("take({0}, {1})", "collections:take"),
    Fn.SKIP: _form("skip({0}, {1})", "collections:skip"),
    Fn.JOIN: Form("{0!}.join({1})"),
}
CONVERT: Mapping[tuple[Domain, Domain], Form] = {
    (Domain.INT, Domain.LONG): Form("BigInt({0})"),
    **{
        (source, target): _form("new Decimal({0})", "decimals:Decimal")
        for source in (Domain.INT, Domain.LONG)
        for target in _DECIMALS
    },
    **{(source, Domain.STRING): Form("String({0})") for source in (Domain.INT, Domain.LONG, Domain.BOOL)},
    (Domain.DECIMAL, Domain.STRING): _form("decimalText({0})", "decimals:decimalText"),
    (Domain.MONEY, Domain.STRING): _form("moneyText({0})", "decimals:moneyText"),
    (Domain.DATETIME, Domain.STRING): _form("instantText({0})", "instants:instantText"),
}
ANY_AT_ALL = Form("{0!}.length > 0", (), RELATION)
SORTED_DOWN = _form("sortedDownBy({0}, {1})", "collections:sortedDownBy")
