"""Random conditions, and values that depend on one.

In: a type, a site. Out: strategies.
"""

from __future__ import annotations

from hypothesis import strategies as st

from loom.ir.expressions import Compare, Comparison, Conditional, Domain, Local, Logic, Logical, Not, Null
from loom.ir.types import BOOL, OptionalType, Type
from tests.kit.expression_model import DOMAINS, LOCALS, POINT, STATE
from tests.kit.random_collections import found
from tests.kit.random_site import OPTIONALS, ORDERED, Expressions, Site, evenly, remembered
from tests.kit.random_texts import fields

_COMPARED: tuple[Type, ...] = (*ORDERED, BOOL, STATE, POINT)


def conditional(type_: Type, site: Site) -> Expressions:
    return st.builds(
        lambda c, a, b: Conditional(type=type_, condition=c, then=a, otherwise=b),
        site.of(BOOL),
        site.of(type_),
        site.of(type_),
    )


def guarded(type_: Type, site: Site) -> Expressions:
    """`x != null ? … x … : …`, where `x` is known to be there in the second part."""
    optionals = [Local(type=kind, name=name) for name, (kind, _) in LOCALS.items() if isinstance(kind, OptionalType)]

    def build(local: Local) -> Expressions:
        assert isinstance(local.type, OptionalType)
        there = Compare(type=BOOL, op=Comparison.NE, domain=Domain.NULL, left=local, right=Null(type=local.type))
        certain = Local(type=local.type.of, name=local.name)
        return st.builds(
            lambda then, otherwise: Conditional(type=type_, condition=there, then=then, otherwise=otherwise),
            site.knowing(type_, certain) if len(site.known) < 2 else site.of(type_),
            site.of(type_),
        )

    return st.sampled_from(optionals).flatmap(remembered(build))


def comparison(site: Site) -> Expressions:
    def build(kind: Type) -> Expressions:
        operators = list(Comparison) if kind in ORDERED else [Comparison.EQ, Comparison.NE]
        return st.builds(
            lambda op, pair: Compare(type=BOOL, op=op, domain=DOMAINS[kind], left=pair[0], right=pair[1]),
            st.sampled_from(operators),
            evenly([st.tuples(site.of(kind), site.of(kind)), site.of(kind).map(lambda e: (e, e))]),
        )

    return site.of_any(_COMPARED, build)


def absence(site: Site) -> Expressions:
    def build(inner: Type) -> Expressions:
        kind = OptionalType(of=inner)
        return st.builds(
            lambda op, e: Compare(type=BOOL, op=op, domain=Domain.NULL, left=e, right=Null(type=kind)),
            st.sampled_from([Comparison.EQ, Comparison.NE]),
            found(kind, inner, site),
        )

    return site.of_any(OPTIONALS, build)


def logic(site: Site) -> Expressions:
    chained = st.builds(
        lambda op, operands: Logical(type=BOOL, op=op, operands=tuple(operands)),
        st.sampled_from(list(Logic)),
        st.lists(site.of(BOOL), min_size=2, max_size=4),
    )
    return chained | site.of(BOOL).map(lambda e: Not(type=BOOL, operand=e))


def optional(type_: Type, inner: Type, site: Site) -> Expressions:
    """Some value under a condition, or the end of a collection's order."""
    null = Null(type=type_)
    maybe = st.builds(
        lambda c, a: Conditional(type=type_, condition=c, then=a, otherwise=null), site.of(BOOL), site.of(inner)
    )
    return st.one_of([maybe, *fields(type_, site)])
