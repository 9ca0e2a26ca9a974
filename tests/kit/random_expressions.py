"""Random well-typed expressions over locals with nasty names, for comparing backends with the reference.

In: a type, how deep, and which names are known besides the locals. Out: strategies, made once for each of these
and only when something is drawn from them.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from loom.ir.expressions import EnumLiteral, Expr, Fn, ListLiteral, Literal, Local, Now, Null
from loom.ir.types import (
    BOOL,
    DATETIME,
    DECIMAL,
    DURATION,
    INT,
    LONG,
    MONEY,
    STRING,
    ArrayType,
    EnumType,
    OptionalType,
    Scalar,
    Type,
    ValueObjectType,
)
from tests.kit.expression_model import LOCALS, POINT, STATE, STATE_VALUES
from tests.kit.random_collections import collections, firsts, found, list_test, total
from tests.kit.random_conditions import absence, comparison, conditional, guarded, logic, optional
from tests.kit.random_numbers import arithmetic, durations, moved, negation, number_function, quotient, widened
from tests.kit.random_site import ELEMENTS, OPTIONALS, Expressions, Known, Site, call, digits, evenly
from tests.kit.random_texts import concatenation, fields, joined, point, text_function, text_test

_TEXTS = st.text(alphabet="abzß🜁Σｚ \t\"'\\`{}$%\n", max_size=5)
_LITERALS = {
    INT: ("0", "1", "2", "10", "60", "46341", "2147483647"),
    LONG: ("0", "1", "2", "10", "3037000500", "9223372036854775807"),
    DECIMAL: ("0", "0.5", "0.1", "1.5", "2.25", "999999999999.9999", "0.0001", "0.000000000001"),
    MONEY: ("0", "0.5", "0.1", "19.99", "999999999999999.9999", "0.00005"),
    BOOL: ("true", "false"),
}
_SIMPLE: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, BOOL, DATETIME, DURATION)


def any_expression(depth: int = 4) -> Expressions:
    kinds: list[Type] = [*_SIMPLE, *_SIMPLE, BOOL, BOOL, BOOL, STATE, POINT]
    kinds += [ArrayType(of=element) for element in ELEMENTS]
    kinds += [OptionalType(of=inner) for inner in OPTIONALS]
    return st.sampled_from(kinds).flatmap(lambda type_: of_type(type_, depth))


@cache
def of_type(type_: Type, depth: int, known: Known = ()) -> Expressions:
    """Expressions of `type_`, at most `depth` operators deep."""
    if depth <= 0:
        return leaf(type_, known)
    return st.deferred(lambda: evenly([leaf(type_, known), *branches(type_, Site(depth - 1, known, of_type))]))


def branches(type_: Type, site: Site) -> list[Expressions]:
    made = [conditional(type_, site), guarded(type_, site), firsts(type_, site)]
    match type_:
        case OptionalType(of=inner):
            return [conditional(type_, site), optional(type_, inner, site), *[found(type_, inner, site)] * 3]
        case ArrayType(of=element):
            return [conditional(type_, site), *collections(type_, element, site)]
        case EnumType():
            return made
        case ValueObjectType():
            return [*made, point(site)]
        case Scalar():
            return [*made, *scalars(type_, site) * 2, *fields(type_, site)]
        case _:
            raise TypeError(f"no expressions of {type_}")


def scalars(type_: Scalar, site: Site) -> list[Expressions]:
    if type_ == BOOL:
        tests = [text_test(site), list_test(site), absence(site)]
        return [*[comparison(site)] * 5, *[logic(site)] * 4, *tests]
    if type_ == STRING:
        return [concatenation(site), text_function(site), text_function(site), joined(site)]
    if type_ == DATETIME:
        return [moved(site), call(DATETIME, Fn.START_OF_DAY, site.of(DATETIME))]
    if type_ == DURATION:
        return durations(site)
    return [*numbers(type_, site), total(type_, site)]


def numbers(type_: Scalar, site: Site) -> list[Expressions]:
    made = [arithmetic(type_, site), arithmetic(type_, site), number_function(type_, site), negation(type_, site)]
    if type_ == DECIMAL:
        made += [widened(DECIMAL, (INT, LONG, MONEY), site), quotient(site)]
    if type_ == MONEY:
        made += [widened(MONEY, (INT, LONG, DECIMAL), site)]
    if type_ == LONG:
        made += [widened(LONG, (INT,), site), call(LONG, Fn.DIV_TRUNC, site.of(LONG), site.of(LONG))]
    if type_ == INT:
        made += [call(INT, Fn.DIV_TRUNC, site.of(INT), site.of(INT)), call(INT, Fn.LENGTH, site.of(STRING))]
        made += [site.of_any(ELEMENTS, lambda kind: call(INT, Fn.COUNT, site.of(ArrayType(of=kind))))]
    return made


@cache
def leaf(type_: Type, known: Known) -> Expressions:
    """A name that is known here more often than any other."""
    near: list[Expr] = [local for local in known if local.type == type_]
    far: list[Expr] = [Local(type=kind, name=name) for name, (kind, _) in LOCALS.items() if kind == type_]
    choices = ([st.sampled_from(near)] * 3 if near else []) + ([st.sampled_from(far)] if far else [])
    return evenly([*choices, literal(type_)])


def literal(type_: Type) -> Expressions:
    match type_:
        case OptionalType():
            return st.just(Null(type=type_))
        case ArrayType(of=element):
            items = st.lists(leaf(element, ()), max_size=3)
            return items.map(lambda drawn: ListLiteral(type=type_, items=tuple(drawn)))
        case EnumType():
            return st.sampled_from(STATE_VALUES).map(lambda value: EnumLiteral(type=type_, value=value))
        case ValueObjectType():
            return point(Site(0, (), of_type))
        case _ if type_ == STRING:
            return _TEXTS.map(lambda text: Literal(type=STRING, text=text))
        case _ if type_ == DATETIME:
            return st.just(Now(type=DATETIME))
        case _ if type_ == DURATION:
            return durations(Site(0, (), of_type))[0]
        case _:
            assert isinstance(type_, Scalar)
            return digits(type_, _LITERALS[type_])
