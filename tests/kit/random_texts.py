"""Random texts, value objects and their fields.

In: a site. Out: strategies.
"""

from __future__ import annotations

from hypothesis import strategies as st

from loom.ir.expressions import (
    Arithmetic,
    Arithmetics,
    Construct,
    Convert,
    Domain,
    Field,
    FieldKind,
    FieldValue,
    Fn,
    Literal,
)
from loom.ir.types import BOOL, DATETIME, DECIMAL, INT, LONG, MONEY, STRING, ArrayType, Type
from tests.kit.expression_model import POINT, POINT_FIELDS, STATE
from tests.kit.random_site import SMALL, Expressions, Site, call, digits, one_call


def concatenation(site: Site) -> Expressions:
    printable = site.of_any(
        [INT, LONG, DECIMAL, MONEY, BOOL, STATE, DATETIME],
        lambda kind: site.of(kind).map(lambda e: Convert(type=STRING, operand=e)),
    )
    operands = st.lists(site.of(STRING) | printable, min_size=2, max_size=4)
    return operands.map(
        lambda items: Arithmetics(type=STRING, op=Arithmetic.ADD, domain=Domain.STRING, operands=tuple(items))
    )


def text_function(site: Site) -> Expressions:
    text, number = site.of(STRING), digits(INT, SMALL) | site.of(INT)
    part = st.sampled_from(["", "a", "ß", "🜁", "$", "\\", "$&"]).map(lambda given: Literal(type=STRING, text=given))
    return st.one_of(
        one_call(STRING, [Fn.TRIM, Fn.TO_UPPER, Fn.TO_LOWER], text),
        call(STRING, Fn.SUBSTRING, text, number),
        call(STRING, Fn.SUBSTRING, text, number, number),
        call(STRING, Fn.REPLACE, text, part | text, part),
    )


def joined(site: Site) -> Expressions:
    return call(STRING, Fn.JOIN, site.of(ArrayType(of=STRING)), site.of(STRING))


def text_test(site: Site) -> Expressions:
    patterns = st.sampled_from(["a", "^[a-z]+$", r"\d", r"^\w*$", r"\s", "(a|b)b?", "[^$]", r"\.", ".$", "/"])
    pattern = patterns.map(lambda text: Literal(type=STRING, text=text))
    tests = one_call(BOOL, [Fn.STARTS_WITH, Fn.ENDS_WITH, Fn.STRING_CONTAINS], site.of(STRING), site.of(STRING))
    return tests | call(BOOL, Fn.MATCHES, site.of(STRING), pattern)


def point(site: Site) -> Expressions:
    values = st.tuples(*(site.of(kind) for _, kind in POINT_FIELDS))
    return values.map(
        lambda drawn: Construct(
            type=POINT,
            fields=tuple(
                FieldValue(name=name, value=value) for (name, _), value in zip(POINT_FIELDS, drawn, strict=True)
            ),
        )
    )


def fields(type_: Type, site: Site) -> list[Expressions]:
    def build(name: str) -> Expressions:
        return site.of(POINT).map(lambda e: Field(type=type_, receiver=e, name=name, kind=FieldKind.PROPERTY))

    return [build(name) for name, kind in POINT_FIELDS if kind == type_]
