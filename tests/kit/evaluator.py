"""The reference for what an expression is worth: the semantics of values, written as plainly as they read.

In: an IR expression, the values of its locals. Out: a value, or `Refusal` with the detail that a 422 carries.
Integers are `int`, decimals and money `Fraction`, null is None, collections are tuples, instants are milliseconds
since 1970, durations milliseconds, values of an enum their names, value objects dictionaries. It shares no code with
any backend, so that an agreement means something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

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
from loom.ir.types import DURATION, Scalar, ScalarKind

Environment = Mapping[str, Any]

_RANGE = {Domain.INT: 2**31, Domain.LONG: 2**63}
_BLANK = " \t\n\r\f\v"
DAY = 24 * 60 * 60 * 1000
FIRST_INSTANT, LAST_INSTANT = -719162 * DAY, 2932897 * DAY - 1  # the years 1 to 9999
LONGEST = 3652059 * DAY  # as many days as those years have
NOW = "now()"  # what `now()` is worth, among the locals


class Refusal(Exception):
    """A 422; its text is the detail."""


def evaluate(e: Expr, env: Environment) -> Any:  # noqa: ANN401, C901 - the language's values; one arm a kind
    match e:
        case Literal():
            return literal(e)
        case Null():
            return None
        case EnumLiteral():
            return e.value
        case Now():
            return env[NOW]
        case Field():
            return evaluate(e.receiver, env)[e.name]
        case Construct():
            return {item.name: evaluate(item.value, env) for item in e.fields}
        case Local():
            return env[e.name]
        case ListLiteral():
            return tuple(evaluate(item, env) for item in e.items)
        case Arithmetics():
            return arithmetic(e, env)
        case Logical():
            return logical(e, env)
        case Compare():
            return compare(e.op, evaluate(e.left, env), evaluate(e.right, env))
        case Not():
            return not evaluate(e.operand, env)
        case Negate():
            return settled(-evaluate(e.operand, env), e.domain)
        case Conditional():
            return evaluate(e.then if evaluate(e.condition, env) else e.otherwise, env)
        case Convert():
            return converted(e, evaluate(e.operand, env))
        case Call():
            return called(e, env)
    raise NotImplementedError(type(e).__name__)


def literal(e: Literal) -> Any:  # noqa: ANN401 - see above
    assert isinstance(e.type, Scalar)
    match e.type.kind:
        case ScalarKind.INT | ScalarKind.LONG:
            return int(e.text)
        case ScalarKind.DECIMAL | ScalarKind.MONEY:
            return Fraction(e.text)
        case ScalarKind.BOOL:
            return e.text == "true"
        case _:
            return e.text


def half_even(value: Fraction, places: int) -> Fraction:
    return Fraction(round(value * 10**places), 10**places)


def half_away(value: Fraction, places: int) -> Fraction:
    scale = Fraction(10) ** places
    whole = int(abs(value) * scale + Fraction(1, 2))
    return (whole if value >= 0 else -whole) / scale


def within(value: int, first: int, last: int) -> int:
    if not first <= value <= last:
        raise Refusal("arithmetic overflow")
    return value


def settled(value: Any, domain: Domain) -> Any:  # noqa: ANN401 - see above
    """The result of one operation, checked and rounded."""
    if domain in _RANGE:
        return within(value, -_RANGE[domain], _RANGE[domain] - 1)
    if domain is Domain.DURATION:
        return within(value, -LONGEST, LONGEST)
    if domain is Domain.DATETIME:
        return within(value, FIRST_INSTANT, LAST_INSTANT)
    rounded = half_even(Fraction(value), 12)
    if abs(rounded) >= 10**16:
        raise Refusal("arithmetic overflow")
    return rounded


def arithmetic(e: Arithmetics, env: Environment) -> Any:  # noqa: ANN401 - see above
    """Every step is settled before the next operand is looked at."""
    if e.domain is Domain.STRING:
        return "".join([evaluate(operand, env) for operand in e.operands])
    domain = Domain.DURATION if e.type == DURATION else e.domain
    result = evaluate(e.operands[0], env)
    for operand in e.operands[1:]:
        result = settled(_OPERATIONS[e.op](result, evaluate(operand, env)), domain)
    return result


def quotient(left: Any, right: Any) -> Fraction:  # noqa: ANN401 - see above
    if right == 0:
        raise Refusal("division by zero")
    return Fraction(left) / Fraction(right)


def truncated(left: Any, right: Any) -> int:  # noqa: ANN401 - see above
    exact = quotient(left, right)
    return int(exact)  # toward zero


def remainder(left: Any, right: Any) -> Any:  # noqa: ANN401 - see above
    return left - right * truncated(left, right)


_OPERATIONS: Mapping[Arithmetic, Callable[[Any, Any], Any]] = {
    Arithmetic.ADD: lambda left, right: left + right,
    Arithmetic.SUBTRACT: lambda left, right: left - right,
    Arithmetic.MULTIPLY: lambda left, right: left * right,
    Arithmetic.DIVIDE: quotient,
    Arithmetic.REMAINDER: remainder,
}


def logical(e: Logical, env: Environment) -> bool:
    stops = e.op is Logic.OR
    return stops if any(evaluate(operand, env) == stops for operand in e.operands) else not stops


def compare(op: Comparison, left: Any, right: Any) -> bool:  # noqa: ANN401 - see above
    match op:
        case Comparison.EQ:
            return bool(left == right)
        case Comparison.NE:
            return bool(left != right)
        case Comparison.LT:
            return bool(left < right)
        case Comparison.LE:
            return bool(left <= right)
        case Comparison.GT:
            return bool(left > right)
        case Comparison.GE:
            return bool(left >= right)


def converted(e: Convert, value: Any) -> Any:  # noqa: ANN401 - see above
    if not isinstance(e.type, Scalar):
        return value  # an id, or an optional of a wider type
    if e.type.kind in (ScalarKind.DECIMAL, ScalarKind.MONEY):
        return Fraction(value)
    if e.type.kind is ScalarKind.STRING:
        return text(value, e.operand.type)
    return value


def text(value: Any, type_: object) -> str:  # noqa: ANN401 - see above
    """How a value is printed: decimals without trailing zeros, money with four places."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if type_ == Scalar(kind=ScalarKind.DATETIME):
        return instant_text(value)
    if not isinstance(value, Fraction):
        return str(value)
    if type_ == Scalar(kind=ScalarKind.MONEY):
        return money_text(value)
    digits = plain(value, 12)
    return digits.rstrip("0").rstrip(".")


def instant_text(milliseconds: int) -> str:
    """ISO 8601 in UTC, with no more of the fraction than there is."""
    instant = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
    fraction = f".{milliseconds % 1000:03}".rstrip("0").rstrip(".")
    return f"{instant.replace(tzinfo=None, microsecond=0).isoformat()}{fraction}Z"


def money_text(value: Fraction) -> str:
    rounded = half_away(value, 4)
    if abs(rounded) >= 10**15:
        raise Refusal("arithmetic overflow")
    return plain(rounded, 4)


def plain(value: Fraction, places: int) -> str:
    """Fixed notation with exactly `places` digits after the point."""
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]


def called(e: Call, env: Environment) -> Any:  # noqa: ANN401 - see above
    if any(isinstance(argument, Lambda) for argument in e.arguments):
        return with_lambda(e, env)
    arguments = [evaluate(argument, env) for argument in e.arguments]
    result = _FUNCTIONS[e.fn](*arguments)
    if e.fn in _SETTLED and isinstance(e.type, Scalar):
        return settled(result, Domain(e.type.kind.value))
    return result


_SETTLED = (Fn.ABS, Fn.DIV_TRUNC, Fn.ROUND, Fn.FLOOR, Fn.CEIL, Fn.DAYS, Fn.HOURS, Fn.MINUTES)


def with_lambda(e: Call, env: Environment) -> Any:  # noqa: ANN401, C901 - one arm a function
    items = evaluate(e.arguments[0], env)
    function = e.arguments[1]
    assert isinstance(function, Lambda)
    results = (evaluate(function.body, {**env, function.parameter: item}) for item in items)
    match e.fn:
        case Fn.MAP:
            return tuple(results)
        case Fn.WHERE:
            return tuple(item for item, kept in zip(items, results, strict=True) if kept)
        case Fn.ALL:
            return all(results)
        case Fn.ANY:
            return any(results)
        case Fn.SUM:
            return total(results, domain_of_scalar(function.type))
        case Fn.AVG:
            return average(results, len(items))
        case Fn.MIN | Fn.MAX:
            return (min if e.fn is Fn.MIN else max)(results, default=None)
        case Fn.SORT_BY:
            keys = list(results)
            descending = bool(len(e.arguments) > 2 and evaluate(e.arguments[2], env))
            order = sorted(range(len(items)), key=keys.__getitem__, reverse=descending)
            return tuple(items[place] for place in order)
    raise NotImplementedError(e.fn)


def domain_of_scalar(type_: object) -> Domain:
    assert isinstance(type_, Scalar)
    return Domain(type_.kind.value)


def total(values: Iterator[Any], domain: Domain) -> Any:  # noqa: ANN401 - see above
    """A step at a time, each settled before the next value is computed."""
    result: Any = 0 if domain in _RANGE else Fraction(0)
    for value in values:
        result = settled(result + value, domain)
    return result


def average(values: Iterator[Any], count: int) -> Fraction | None:
    sum_of_all = total(values, Domain.DECIMAL)
    return settled(sum_of_all / count, Domain.DECIMAL) if count else None


def first(items: tuple[Any, ...]) -> Any:  # noqa: ANN401 - see above
    if not items:
        raise Refusal("empty collection")
    return items[0]


def distinct(items: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(item for place, item in enumerate(items) if item not in items[:place])


def split(value: str, separator: str) -> tuple[str, ...]:
    """With an empty separator, the characters."""
    return tuple(value.split(separator)) if separator else tuple(value)


def matches(value: str, pattern: str) -> bool:
    """As RE2 reads it: a last `$` is the end of the text, and `\\s` is not a vertical tab."""
    same = re.sub(r"\$$", lambda _: r"\Z", pattern).replace(r"\s", r"[\t\n\f\r ]")
    return re.search(same, value, re.ASCII) is not None


def substring(value: str, start: int, length: int | None = None) -> str:
    first = max(start, 0)
    return value[first:] if length is None else value[first : first + max(length, 0)]


def rounded(value: Fraction, places: int = 0) -> Fraction:
    return half_away(value, max(places, -20)) if places < 12 else value


_FUNCTIONS: Mapping[Fn, Callable[..., Any]] = {
    Fn.LENGTH: len,
    Fn.TRIM: lambda value: value.strip(_BLANK),
    Fn.TO_UPPER: str.upper,
    Fn.TO_LOWER: str.lower,
    Fn.SUBSTRING: substring,
    Fn.STARTS_WITH: str.startswith,
    Fn.ENDS_WITH: str.endswith,
    Fn.STRING_CONTAINS: lambda value, part: part in value,
    Fn.REPLACE: str.replace,
    Fn.SPLIT: split,
    Fn.MATCHES: matches,
    Fn.ABS: abs,
    Fn.NUMBER_MIN: min,
    Fn.NUMBER_MAX: max,
    Fn.DIV_TRUNC: truncated,
    Fn.ROUND: rounded,
    Fn.FLOOR: lambda value: Fraction(value.__floor__()),
    Fn.CEIL: lambda value: Fraction(value.__ceil__()),
    Fn.START_OF_DAY: lambda instant: instant // DAY * DAY,
    Fn.DAYS: lambda count: count * DAY,
    Fn.HOURS: lambda count: count * DAY // 24,
    Fn.MINUTES: lambda count: count * DAY // 1440,
    Fn.COUNT: len,
    Fn.ANY: lambda items: len(items) > 0,
    Fn.FIRST: first,
    Fn.FIRST_OR_NULL: lambda items: items[0] if items else None,
    Fn.CONTAINS: lambda items, item: item in items,
    Fn.DISTINCT: distinct,
    Fn.TAKE: lambda items, count: items[: max(count, 0)],
    Fn.SKIP: lambda items, count: items[max(count, 0) :],
    Fn.JOIN: lambda items, separator: separator.join(items),
}
