"""Random collections and what is taken out of them.

In: a type, a site. Out: strategies; inside two lambdas there is no third.
"""

from __future__ import annotations

from hypothesis import strategies as st

from loom.ir.expressions import Fn, Lambda, ListLiteral, Local
from loom.ir.types import BOOL, DECIMAL, INT, MONEY, STRING, ArrayType, Scalar, Type
from tests.kit.random_site import ELEMENTS, ORDERED, SMALL, Expressions, Site, call, digits, evenly, one_call

_LAMBDA_NAMES = ("eachItem", "for")


def firsts(type_: Type, site: Site) -> Expressions:
    kind = type_ if type_ in ELEMENTS else None
    return site.of(type_) if kind is None else call(type_, Fn.FIRST, site.of(ArrayType(of=kind)))


def collections(type_: Type, element: Type, site: Site) -> list[Expressions]:
    items = site.of(type_)
    made = [
        st.lists(site.of(element), min_size=1, max_size=3).map(
            lambda drawn: ListLiteral(type=type_, items=tuple(drawn))
        ),
        one_call(type_, [Fn.TAKE, Fn.SKIP], items, digits(INT, SMALL) | site.of(INT)),
        call(type_, Fn.DISTINCT, items),
        over(type_, [Fn.WHERE], BOOL, site, receiver=element),
        over(type_, [Fn.MAP], element, site),
        sorted_by(type_, element, site),
    ]
    if element == STRING:
        made.append(call(type_, Fn.SPLIT, site.of(STRING), site.of(STRING)))
    return made


def function(element: Type, result: Type, site: Site) -> Expressions:
    """A lambda; inside two of them there is no third."""
    name = _LAMBDA_NAMES[sum(local.name in _LAMBDA_NAMES for local in site.known) % 2]
    item = Local(type=element, name=name)
    outer = tuple(local for local in site.known if local.name != name)
    body = site.draw(result, site.depth, (*outer, item)) if len(outer) < 2 else site.draw(result, 0, (item,))
    return body.map(lambda e: Lambda(type=result, parameter=name, parameter_type=element, body=e))


def over(type_: Type, fns: list[Fn], result: Type, site: Site, receiver: Type | None = None) -> Expressions:
    """A function of a collection that takes a lambda."""
    kinds = ELEMENTS if receiver is None else (receiver,)
    return site.of_any(
        kinds,
        lambda kind: one_call(type_, fns, site.of(ArrayType(of=kind)), function(kind, result, site)),
    )


def sorted_by(type_: Type, element: Type, site: Site) -> Expressions:
    down = digits(BOOL, ("true", "false"))
    return site.of_any(ORDERED, lambda key: call(type_, Fn.SORT_BY, site.of(type_), function(element, key, site), down))


def total(type_: Scalar, site: Site) -> Expressions:
    return over(type_, [Fn.SUM], type_, site)


def list_test(site: Site) -> Expressions:
    return st.one_of(
        over(BOOL, [Fn.ALL, Fn.ANY], BOOL, site),
        site.of_any(ELEMENTS, lambda kind: call(BOOL, Fn.ANY, site.of(ArrayType(of=kind)))),
        site.of_any(ELEMENTS, lambda kind: call(BOOL, Fn.CONTAINS, site.of(ArrayType(of=kind)), site.of(kind))),
    )


def found(type_: Type, inner: Type, site: Site) -> Expressions:
    made = [call(type_, Fn.FIRST_OR_NULL, site.of(ArrayType(of=inner)))]
    if inner in ORDERED:
        made.append(over(type_, [Fn.MIN, Fn.MAX], inner, site))
    if inner in (DECIMAL, MONEY):
        made.append(over(type_, [Fn.AVG], inner, site))
    return evenly(made)
