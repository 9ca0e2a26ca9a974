"""Functions that every model has: conversions, durations, `now()`, and helpers for numbers, text and moments.

In: a call of a bare name that the model declares nowhere. Out: the expression that it stands for.
Never: a call of a helper: what it stands for is written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from loom.ir.expressions import (
    Arithmetic,
    Call,
    Compare,
    Comparison,
    Convert,
    Domain,
    Expr,
    Fn,
    Literal,
    Now,
)
from loom.ir.types import (
    BOOL,
    DATETIME,
    DECIMAL,
    DURATION,
    GUID,
    INT,
    LONG,
    MONEY,
    STRING,
    EnumType,
    IdType,
    OptionalType,
    Type,
)
from loom.lower.expressions.guards import advice
from loom.lower.expressions.operators.arithmetic import chained
from loom.lower.problems.expressions import (
    CallArgCount,
    CallArgType,
    CallNamedArg,
    DurationArgType,
    DurationArity,
    MoneyLiteral,
)
from loom.lower.problems.types import ConversionType
from loom.lower.scope.frames import Frame
from loom.lower.scope.relations import convert, fitted, is_number, show, widest
from loom.parse import ast

_DURATIONS = {"days": Fn.DAYS, "hours": Fn.HOURS, "minutes": Fn.MINUTES}
_AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]{1,4})?")
_CONVERSIONS: Mapping[str, tuple[Type, tuple[Type, ...], str]] = {
    "string": (STRING, (INT, LONG, DECIMAL, MONEY, BOOL, GUID, STRING), "scalars, enums and ids"),
    "long": (LONG, (INT, LONG), "int"),
    "decimal": (DECIMAL, (INT, LONG, MONEY, DECIMAL), "int, long and money"),
    "money": (MONEY, (INT, LONG, DECIMAL, MONEY), "int, long and decimal"),
}

Arguments = list[Expr]


def prelude_call(frame: Frame, at: int, name: str, arguments: tuple[ast.Argument, ...]) -> Expr | None:
    for argument in arguments:
        if argument.name:
            place = frame.at(argument.at)
            return frame.fail(CallNamedArg(at=place, name=name, argument=argument.name))
    if name == "now":
        return _now(frame, at, arguments)
    if name in _DURATIONS:
        return _duration(frame, at, name, arguments)
    if name in _CONVERSIONS:
        return _conversion(frame, at, name, arguments)
    return _helper(frame, at, name, arguments)


def _count(frame: Frame, at: int, name: str, expected: str, found: int, parameters: str) -> Expr | None:
    return frame.fail(
        CallArgCount(
            at=frame.at(at),
            case="some" if parameters else "none",
            name=name,
            expected=expected,
            found=found,
            parameters=parameters,
        )
    )


def _now(frame: Frame, at: int, arguments: tuple[ast.Argument, ...]) -> Expr | None:
    if arguments:
        return _count(frame, at, "now", "no argument", len(arguments), "")
    return Now(type=DATETIME)


def _duration(frame: Frame, at: int, name: str, arguments: tuple[ast.Argument, ...]) -> Expr | None:
    if len(arguments) != 1:
        return frame.fail(DurationArity(at=frame.at(at), name=name, found=len(arguments)))
    value = frame.lower(arguments[0].value, INT)
    if value is None:
        return None
    if value.type != INT:
        at = arguments[0].value.at
        return frame.fail(DurationArgType(at=frame.at(at), name=name, found=show(value.type)))
    return Call(type=DURATION, fn=_DURATIONS[name], arguments=(value,))


def _conversion(frame: Frame, at: int, name: str, arguments: tuple[ast.Argument, ...]) -> Expr | None:
    target, takes, expected = _CONVERSIONS[name]
    if len(arguments) != 1:
        return _count(frame, at, name, "one argument", len(arguments), expected)
    written = arguments[0].value
    if name == "money" and isinstance(written, ast.StringLiteral):
        return _money(frame, written)
    value = frame.lower(written, None)
    if value is None:
        return None
    named = name == "string" and isinstance(value.type, EnumType | IdType)
    if value.type not in takes and not named:
        problem = ConversionType(at=frame.at(written.at), function=name, found=show(value.type), expected=expected)
        return frame.fail(problem)
    return Convert(type=target, operand=value) if named else convert(value, target)


def _money(frame: Frame, written: ast.StringLiteral) -> Expr | None:
    if not _AMOUNT.fullmatch(written.value) or len(written.value.lstrip("-").partition(".")[0]) > 15:
        return frame.fail(MoneyLiteral(at=frame.at(written.at), literal=written.value))
    sign = "-" if written.value.startswith("-") else ""
    whole, _, places = written.value.lstrip("-").partition(".")
    whole = whole.lstrip("0") or "0"
    places = places.rstrip("0")
    return Literal(type=MONEY, text=f"{sign}{whole}.{places}" if places else f"{sign}{whole}")


def _helper(frame: Frame, at: int, name: str, arguments: tuple[ast.Argument, ...]) -> Expr | None:
    takes, build = _HELPERS[name]
    parameters = ", ".join(takes)
    if len(arguments) != len(takes):
        wanted = {1: "one argument"}.get(len(takes), f"{len(takes)} arguments")
        return _count(frame, at, name, wanted, len(arguments), parameters)
    values = [frame.lower(item.value, None) for item in arguments]
    whole = [value for value in values if value is not None]
    if len(whole) < len(values):
        return None
    for parameter, value, argument in zip(takes, whole, arguments, strict=True):
        if not _fits(parameter, value.type):
            is_unsure = isinstance(value.type, OptionalType) and _fits(parameter, value.type.of)
            problem = CallArgType(
                at=frame.at(argument.value.at),
                name=name,
                parameter=parameter,
                expected=_KINDS[parameter],
                found=show(value.type),
                hint=advice(frame, argument.value) if is_unsure else "",
            )
            return frame.fail(problem)
    return build(whole)


_KINDS = {
    "text": "string",
    "length": "int",
    "places": "int",
    "x": "a number or money",
    "low": "a number or money",
    "high": "a number or money",
    "part": "a number or money",
    "whole": "a number or money",
    "amount": "decimal or money",
    "moment": "datetime",
}


def _fits(parameter: str, given: Type) -> bool:
    kind = _KINDS[parameter]
    if kind == "a number or money":
        return is_number(given) or given == MONEY
    if kind == "decimal or money":
        return given in (DECIMAL, MONEY)
    return show(given) == kind


def _text(fn: Fn, type_: Type, *arguments: Expr) -> Expr:
    return Call(type=type_, fn=fn, arguments=arguments)


def _trimmed_length(values: Arguments) -> Expr:
    return _text(Fn.LENGTH, INT, _text(Fn.TRIM, STRING, values[0]))


def _compared(op: Comparison, domain: Domain, left: Expr, right: Expr) -> Expr:
    return Compare(type=BOOL, op=op, domain=domain, left=left, right=right)


_ZERO = Literal(type=INT, text="0")


def _is_blank(values: Arguments) -> Expr | None:
    return _compared(Comparison.EQ, Domain.INT, _trimmed_length(values), _ZERO)


def _is_present(values: Arguments) -> Expr | None:
    return _compared(Comparison.GT, Domain.INT, _trimmed_length(values), _ZERO)


def _truncate(values: Arguments) -> Expr | None:
    return _text(Fn.SUBSTRING, STRING, values[0], _ZERO, values[1])


def _clamp(values: Arguments) -> Expr | None:
    type_: Type | None = values[0].type
    for value in values[1:]:
        type_ = widest(type_, value.type) or type_ if type_ is not None else None
    if type_ is None:
        return None
    fitting = [fitted(value, type_) for value in values]
    whole = [value for value in fitting if value is not None]
    if len(whole) < len(values):
        return None
    return _text(Fn.NUMBER_MIN, type_, _text(Fn.NUMBER_MAX, type_, whole[0], whole[1]), whole[2])


def _percent_of(values: Arguments) -> Expr | None:
    """What percentage the first is of the second, as a decimal."""
    part, whole = convert(values[0], DECIMAL), convert(values[1], DECIMAL)
    hundred = chained(Arithmetic.MULTIPLY, DECIMAL, part, Literal(type=DECIMAL, text="100"))
    return None if hundred is None else chained(Arithmetic.DIVIDE, DECIMAL, hundred, whole)


def _round_to(values: Arguments) -> Expr | None:
    return _text(Fn.ROUND, values[0].type, values[0], values[1])


def _relative(op: Comparison) -> Callable[[Arguments], Expr | None]:
    def build(values: Arguments) -> Expr | None:
        return _compared(op, Domain.DATETIME, values[0], Now(type=DATETIME))

    return build


_HELPERS: Mapping[str, tuple[tuple[str, ...], Callable[[Arguments], Expr | None]]] = {
    "isBlank": (("text",), _is_blank),
    "isPresent": (("text",), _is_present),
    "truncate": (("text", "length"), _truncate),
    "clamp": (("x", "low", "high"), _clamp),
    "percentOf": (("part", "whole"), _percent_of),
    "roundTo": (("amount", "places"), _round_to),
    "isOverdue": (("moment",), _relative(Comparison.LT)),
    "isPast": (("moment",), _relative(Comparison.LT)),
    "isFuture": (("moment",), _relative(Comparison.GT)),
}
