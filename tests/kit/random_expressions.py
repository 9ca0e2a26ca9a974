"""Random well-typed expressions over locals with nasty names, for comparing backends with the reference.

In: a type, how deep, and which names are known besides the locals. Out: strategies, made once for each of these
and only when something is drawn from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from loom.ir.expressions import (
    Arithmetic,
    Arithmetics,
    Call,
    Compare,
    Comparison,
    Conditional,
    Construct,
    Convert,
    Domain,
    EnumLiteral,
    Expr,
    Field,
    FieldKind,
    FieldValue,
    Fn,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Logic,
    Logical,
    Negate,
    Not,
    Now,
    Null,
)
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
from tests.kit.expression_model import (
    DOMAINS,
    LOCALS,
    POINT,
    POINT_FIELDS,
    STATE,
    STATE_VALUES,
)

Expressions = st.SearchStrategy[Expr]
Known = tuple[Local, ...]
Drawn = TypeVar("Drawn")

_TEXTS = st.text(alphabet="abzß🜁Σｚ \t\"'\\`{}$%\n", max_size=5)
_SMALL = ("0", "1", "2", "3", "100")
_LITERALS = {
    INT: ("0", "1", "2", "10", "60", "46341", "2147483647"),
    LONG: ("0", "1", "2", "10", "3037000500", "9223372036854775807"),
    DECIMAL: ("0", "0.5", "0.1", "1.5", "2.25", "999999999999.9999", "0.0001", "0.000000000001"),
    MONEY: ("0", "0.5", "0.1", "19.99", "999999999999999.9999", "0.00005"),
    BOOL: ("true", "false"),
}
_SIMPLE: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, BOOL, DATETIME, DURATION)
_ELEMENTS: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, DATETIME, STATE, POINT)
_ORDERED: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, DATETIME, DURATION)
_COMPARED: tuple[Type, ...] = (*_ORDERED, BOOL, STATE, POINT)
_NUMBERS: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY)
_OPTIONALS: tuple[Type, ...] = (INT, LONG, DECIMAL, MONEY, STRING, DATETIME, STATE)
_LAMBDA_NAMES = ("eachItem", "for")


def any_expression(depth: int = 4) -> Expressions:
    kinds: list[Type] = [*_SIMPLE, *_SIMPLE, BOOL, BOOL, BOOL, STATE, POINT]
    kinds += [ArrayType(of=element) for element in _ELEMENTS]
    kinds += [OptionalType(of=inner) for inner in _OPTIONALS]
    return st.sampled_from(kinds).flatmap(lambda type_: of_type(type_, depth))


@cache
def of_type(type_: Type, depth: int, known: Known = ()) -> Expressions:
    """Expressions of `type_`, at most `depth` operators deep."""
    if depth <= 0:
        return leaf(type_, known)
    return st.deferred(lambda: evenly([leaf(type_, known), *branches(type_, Site(depth - 1, known))]))


def evenly(choices: list[st.SearchStrategy[Drawn]]) -> st.SearchStrategy[Drawn]:
    """Each as likely as the others, however many choices are inside them (`one_of` flattens)."""
    return st.sampled_from(range(len(choices))).flatmap(choices.__getitem__)


def remembered(build: Callable[[Any], Expressions]) -> Callable[[Any], Expressions]:
    """`build`, called once for each argument: a strategy costs more to make than to draw from."""
    made = cache(build)
    return lambda key: made(key)


class Site:
    """Where a subexpression stands: what may be drawn below it."""

    def __init__(self, depth: int, known: Known) -> None:
        self.depth = depth
        self.known = known

    def of(self, type_: Type) -> Expressions:
        return of_type(type_, self.depth, self.known)

    def knowing(self, type_: Type, local: Local) -> Expressions:
        return of_type(type_, self.depth, (*self.known, local))

    def of_any(self, types: Iterable[Type], build: Callable[[Type], Expressions]) -> Expressions:
        return st.sampled_from(list(types)).flatmap(remembered(build))


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
        made += [site.of_any(_ELEMENTS, lambda kind: call(INT, Fn.COUNT, site.of(ArrayType(of=kind))))]
    return made


# --- leaves ---------------------------------------------------------------------------------------------------------


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
            return point(Site(0, ()))
        case _ if type_ == STRING:
            return _TEXTS.map(lambda text: Literal(type=STRING, text=text))
        case _ if type_ == DATETIME:
            return st.just(Now(type=DATETIME))
        case _ if type_ == DURATION:
            return durations(Site(0, ()))[0]
        case _:
            assert isinstance(type_, Scalar)
            return digits(type_, _LITERALS[type_])


def digits(type_: Scalar, texts: Iterable[str]) -> Expressions:
    return st.sampled_from(list(texts)).map(lambda text: Literal(type=type_, text=text))


# --- everything that takes expressions ------------------------------------------------------------------------------


def call(type_: Type, fn: Fn, *arguments: Expressions) -> Expressions:
    return st.tuples(*arguments).map(lambda drawn: Call(type=type_, fn=fn, arguments=drawn))


def one_call(type_: Type, fns: Iterable[Fn], *arguments: Expressions) -> Expressions:
    return st.tuples(st.sampled_from(list(fns)), *arguments).map(
        lambda drawn: Call(type=type_, fn=drawn[0], arguments=drawn[1:])
    )


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

    units = one_call(
        DURATION, [Fn.DAYS, Fn.HOURS, Fn.MINUTES], digits(INT, _SMALL) if site.depth <= 0 else site.of(INT)
    )
    if site.depth <= 0:
        return [units]
    return [
        units,
        built(Arithmetic.SUBTRACT, Domain.DATETIME, DATETIME, DATETIME),
        chain(DURATION, (Arithmetic.ADD, Arithmetic.SUBTRACT), site),
        built(Arithmetic.MULTIPLY, Domain.DURATION, DURATION, INT),
        negation(DURATION, site),
    ]


# --- truth ----------------------------------------------------------------------------------------------------------


def comparison(site: Site) -> Expressions:
    def build(kind: Type) -> Expressions:
        operators = list(Comparison) if kind in _ORDERED else [Comparison.EQ, Comparison.NE]
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

    return site.of_any(_OPTIONALS, build)


def logic(site: Site) -> Expressions:
    chained = st.builds(
        lambda op, operands: Logical(type=BOOL, op=op, operands=tuple(operands)),
        st.sampled_from(list(Logic)),
        st.lists(site.of(BOOL), min_size=2, max_size=4),
    )
    return chained | site.of(BOOL).map(lambda e: Not(type=BOOL, operand=e))


# --- texts ----------------------------------------------------------------------------------------------------------


def concatenation(site: Site) -> Expressions:
    printable = site.of_any(
        [INT, LONG, DECIMAL, MONEY, BOOL, STATE],
        lambda kind: site.of(kind).map(lambda e: Convert(type=STRING, operand=e)),
    )
    operands = st.lists(site.of(STRING) | printable, min_size=2, max_size=4)
    return operands.map(
        lambda items: Arithmetics(type=STRING, op=Arithmetic.ADD, domain=Domain.STRING, operands=tuple(items))
    )


def text_function(site: Site) -> Expressions:
    text, number = site.of(STRING), digits(INT, _SMALL) | site.of(INT)
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


# --- value objects and optionals ------------------------------------------------------------------------------------


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


def optional(type_: Type, inner: Type, site: Site) -> Expressions:
    """Some value under a condition, or the end of a collection's order."""
    null = Null(type=type_)
    maybe = st.builds(
        lambda c, a: Conditional(type=type_, condition=c, then=a, otherwise=null), site.of(BOOL), site.of(inner)
    )
    return st.one_of([maybe, *fields(type_, site)])


def found(type_: Type, inner: Type, site: Site) -> Expressions:
    made = [call(type_, Fn.FIRST_OR_NULL, site.of(ArrayType(of=inner)))]
    if inner in _ORDERED:
        made.append(over(type_, [Fn.MIN, Fn.MAX], inner, site))
    if inner in (DECIMAL, MONEY):
        made.append(over(type_, [Fn.AVG], inner, site))
    return evenly(made)


# --- collections ----------------------------------------------------------------------------------------------------


def firsts(type_: Type, site: Site) -> Expressions:
    kind = type_ if type_ in _ELEMENTS else None
    return site.of(type_) if kind is None else call(type_, Fn.FIRST, site.of(ArrayType(of=kind)))


def collections(type_: Type, element: Type, site: Site) -> list[Expressions]:
    items = site.of(type_)
    made = [
        st.lists(site.of(element), min_size=1, max_size=3).map(
            lambda drawn: ListLiteral(type=type_, items=tuple(drawn))
        ),
        one_call(type_, [Fn.TAKE, Fn.SKIP], items, digits(INT, _SMALL) | site.of(INT)),
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
    body = of_type(result, site.depth, (*outer, item)) if len(outer) < 2 else leaf(result, (item,))
    return body.map(lambda e: Lambda(type=result, parameter=name, parameter_type=element, body=e))


def over(type_: Type, fns: list[Fn], result: Type, site: Site, receiver: Type | None = None) -> Expressions:
    """A function of a collection that takes a lambda."""
    kinds = _ELEMENTS if receiver is None else (receiver,)
    return site.of_any(
        kinds,
        lambda kind: one_call(type_, fns, site.of(ArrayType(of=kind)), function(kind, result, site)),
    )


def sorted_by(type_: Type, element: Type, site: Site) -> Expressions:
    down = digits(BOOL, ("true", "false"))
    return site.of_any(
        _ORDERED, lambda key: call(type_, Fn.SORT_BY, site.of(type_), function(element, key, site), down)
    )


def total(type_: Scalar, site: Site) -> Expressions:
    return over(type_, [Fn.SUM], type_, site)


def list_test(site: Site) -> Expressions:
    return st.one_of(
        over(BOOL, [Fn.ALL, Fn.ANY], BOOL, site),
        site.of_any(_ELEMENTS, lambda kind: call(BOOL, Fn.ANY, site.of(ArrayType(of=kind)))),
        site.of_any(_ELEMENTS, lambda kind: call(BOOL, Fn.CONTAINS, site.of(ArrayType(of=kind)), site.of(kind))),
    )
