"""Members of collections: what their lambdas may give, and what they give.

In: a collection and the member or call on it. Out: a Call whose lambda is an argument like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from loom.ir.expressions import Call, Domain, Expr, Fn, Lambda, Literal
from loom.ir.types import (
    BOOL,
    DECIMAL,
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
from loom.lower.expressions.builtin.elsewhere import built_in
from loom.lower.problems.expressions import (
    AvgNonNumeric,
    BareCollectionAccessor,
    DistinctNonScalar,
    IntrinsicArgType,
    IntrinsicArity,
    IntrinsicNamedArg,
    IntrinsicUnknown,
    JoinNonString,
    ReductionNonComparable,
)
from loom.lower.problems.names import DuplicateLocal
from loom.lower.scope.frames import Frame, Origin
from loom.lower.scope.relations import ORDERED, convert, domain_of, fitted, is_number, show
from loom.parse import ast


class Site(NamedTuple):
    """One use of a collection member."""

    frame: Frame
    node: ast.Member
    arguments: tuple[ast.Argument, ...]
    target: Expr
    element: Type

    @property
    def name(self) -> str:
        return self.node.name


Lower = Callable[[Site], Expr | None]


def collection_member(frame: Frame, node: ast.Member, target: Expr, element: Type) -> Expr | None:
    """A member without parentheses."""
    site = Site(frame, node, (), target, element)
    if node.name in PLAIN:
        return PLAIN[node.name](site)
    if node.name in FORMS:
        problem = BareCollectionAccessor(at=frame.at(node.at), name=node.name, form=FORMS[node.name])
        return frame.fail(problem)
    return _unknown(site)


def collection_call(
    frame: Frame, node: ast.Member, arguments: tuple[ast.Argument, ...], target: Expr, element: Type
) -> Expr | None:
    site = Site(frame, node, arguments, target, element)
    if not arguments and node.name in PLAIN:
        return PLAIN[node.name](site)
    if node.name in PLAIN and node.name not in FORMS:
        return _arity(site, f"{node.name}", "no argument")
    if node.name not in FORMS:
        return _unknown(site)
    return _with_arguments(site)


def _with_arguments(site: Site) -> Expr | None:
    form = FORMS[site.name]
    for argument in site.arguments:
        if argument.name:
            at = site.frame.at(argument.at)
            return site.frame.fail(IntrinsicNamedArg(at=at, name=site.name, argument=argument.name))
    most = 2 if site.name == "sortBy" else 1
    if not site.arguments and site.name in _LAMBDA:
        problem = BareCollectionAccessor(at=site.frame.at(site.node.at), name=site.name, form=form)
        return site.frame.fail(problem)
    if not 1 <= len(site.arguments) <= most:
        return _arity(site, form, "one argument" if most == 1 else "one or two arguments")
    return _LAMBDA[site.name](site) if site.name in _LAMBDA else _VALUE[site.name](site)


def _unknown(site: Site) -> Expr | None:
    at = site.frame.at(site.node.at)
    near = built_in(site.name, [*PLAIN, *FORMS])
    return site.frame.fail(IntrinsicUnknown(at=at, type=show(site.target.type), name=site.name, nearest=near))


def _arity(site: Site, form: str, expected: str) -> Expr | None:
    at = site.frame.at(site.node.at)
    found = len(site.arguments)
    return site.frame.fail(IntrinsicArity(at=at, name=site.name, expected=expected, found=found, form=form))


def _wrong(site: Site, expected: str, found: str, position: int = 0) -> Expr | None:
    """The argument at `position` is wrong; of a lambda, what it gives."""
    written = site.arguments[position].value
    given = written.body if isinstance(written, ast.Lambda) else written
    at = site.frame.at(written.at if isinstance(given, tuple) else given.at)
    form = FORMS[site.name]
    return site.frame.fail(IntrinsicArgType(at=at, name=site.name, expected=expected, found=found, form=form))


def _call(site: Site, fn: Fn, type_: Type, *arguments: Expr) -> Expr:
    return Call(type=type_, fn=fn, arguments=(site.target, *arguments))


def _lambda(site: Site) -> Lambda | None:
    written = site.arguments[0].value
    if isinstance(written, ast.Unsupported):
        site.frame.lower(written, None)
        return None
    if not isinstance(written, ast.Lambda):
        _wrong(site, "a lambda", "a value")
        return None
    if written.parameter in site.frame.locals:
        site.frame.report(DuplicateLocal(at=site.frame.at(written.at), name=written.parameter))
        return None
    inner = site.frame.bind(written.parameter, site.element, Origin.LAMBDA)
    body = inner.lower(written.body, None)
    if body is None:
        return None
    return Lambda(type=body.type, parameter=written.parameter, parameter_type=site.element, body=body)


def _count(site: Site) -> Expr | None:
    return _call(site, Fn.COUNT, INT)


def _first(site: Site) -> Expr | None:
    return _call(site, Fn.FIRST, site.element)


def _first_or_null(site: Site) -> Expr | None:
    return _call(site, Fn.FIRST_OR_NULL, OptionalType(of=site.element))


def _any(site: Site) -> Expr | None:
    if not site.arguments:
        return _call(site, Fn.ANY, BOOL)
    return _predicate(site, Fn.ANY, BOOL)


def _all(site: Site) -> Expr | None:
    return _predicate(site, Fn.ALL, BOOL)


def _where(site: Site) -> Expr | None:
    return _predicate(site, Fn.WHERE, site.target.type)


def _predicate(site: Site, fn: Fn, gives: Type) -> Expr | None:
    function = _lambda(site)
    if function is None:
        return None
    return _call(site, fn, gives, function) if function.type == BOOL else _wrong(site, "a bool", show(function.type))


def _map(site: Site) -> Expr | None:
    function = _lambda(site)
    if function is None:
        return None
    if isinstance(function.type, ArrayType):
        return _wrong(site, "a single value", show(function.type))
    return _call(site, Fn.MAP, ArrayType(of=function.type), function)


def _sum(site: Site) -> Expr | None:
    function = _lambda(site)
    if function is None:
        return None
    if not is_number(function.type) and function.type != MONEY:
        return _not_numeric(site, function)
    return _call(site, Fn.SUM, function.type, function)


def _avg(site: Site) -> Expr | None:
    """The average of whole numbers is a decimal, as their quotient is."""
    function = _lambda(site)
    if function is None:
        return None
    if not is_number(function.type) and function.type != MONEY:
        return _not_numeric(site, function)
    if function.type in (INT, LONG):
        function = function.model_copy(update={"type": DECIMAL, "body": convert(function.body, DECIMAL)})
    return _call(site, Fn.AVG, OptionalType(of=function.type), function)


def _not_numeric(site: Site, function: Lambda) -> Expr | None:
    at = site.frame.at(site.node.at)
    return site.frame.fail(AvgNonNumeric(at=at, name=site.name, found=show(function.type)))


def _reduction(fn: Fn) -> Lower:
    def lower(site: Site) -> Expr | None:
        function = _ordered_lambda(site)
        return None if function is None else _call(site, fn, OptionalType(of=function.type), function)

    return lower


def _ordered_lambda(site: Site) -> Lambda | None:
    function = _lambda(site)
    if function is None:
        return None
    is_optional = isinstance(function.type, OptionalType)
    if is_optional or domain_of(function.type) not in ORDERED:
        at = site.frame.at(site.node.at)
        site.frame.report(ReductionNonComparable(at=at, name=site.name, found=show(function.type)))
        return None
    return function


def _sort_by(site: Site) -> Expr | None:
    function = _ordered_lambda(site)
    descending: Expr | None = Literal(type=BOOL, text="false")
    if len(site.arguments) == 2:
        written = site.arguments[1].value
        descending = site.frame.lower(written, BOOL)
        if descending is not None and not isinstance(written, ast.BoolLiteral):
            return _wrong(site, "`true` or `false`", show(descending.type), 1)
    if function is None or descending is None:
        return None
    return _call(site, Fn.SORT_BY, site.target.type, function, descending)


def _distinct(site: Site) -> Expr | None:
    if isinstance(site.element, Scalar | EnumType | ValueObjectType):
        return _call(site, Fn.DISTINCT, site.target.type)
    at = site.frame.at(site.node.at)
    return site.frame.fail(DistinctNonScalar(at=at, found=show(site.element)))


def _contains(site: Site) -> Expr | None:
    value = site.frame.lower(site.arguments[0].value, site.element)
    if value is None:
        return None
    fit = fitted(value, site.element)
    if fit is None or domain_of(site.element) in (None, Domain.NULL):
        return _wrong(site, show(site.element), show(value.type))
    return _call(site, Fn.CONTAINS, BOOL, fit)


def _part_of(fn: Fn) -> Lower:
    def lower(site: Site) -> Expr | None:
        number = site.frame.lower(site.arguments[0].value, INT)
        if number is None:
            return None
        return (
            _call(site, fn, site.target.type, number) if number.type == INT else _wrong(site, "int", show(number.type))
        )

    return lower


def _join(site: Site) -> Expr | None:
    separator = site.frame.lower(site.arguments[0].value, STRING)
    if site.element != STRING:
        at = site.frame.at(site.node.at)
        return site.frame.fail(JoinNonString(at=at, found=show(site.element)))
    if separator is None:
        return None
    if separator.type != STRING:
        return _wrong(site, "string", show(separator.type))
    return _call(site, Fn.JOIN, STRING, separator)


PLAIN: Mapping[str, Lower] = {
    "count": _count,
    "first": _first,
    "firstOrNull": _first_or_null,
    "distinct": _distinct,
    "any": _any,
}
_LAMBDA: Mapping[str, Lower] = {
    "sum": _sum,
    "avg": _avg,
    "min": _reduction(Fn.MIN),
    "max": _reduction(Fn.MAX),
    "all": _all,
    "any": _any,
    "where": _where,
    "map": _map,
    "sortBy": _sort_by,
}
_VALUE: Mapping[str, Lower] = {
    "contains": _contains,
    "take": _part_of(Fn.TAKE),
    "skip": _part_of(Fn.SKIP),
    "join": _join,
}
FORMS = {name: f"{name}(item => …)" for name in _LAMBDA} | {
    "sortBy": "sortBy(item => …, descending)",
    "contains": "contains(value)",
    "take": "take(n)",
    "skip": "skip(n)",
    "join": "join(separator)",
}
