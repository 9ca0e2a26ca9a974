"""Built-in members of strings, numbers and datetimes: what they take and give.

In: a receiver and the member or call on it. Out: a Call of the built-in.
Never: collections, which take lambdas (`collections`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loom.ir.expressions import Call, Expr, Fn
from loom.ir.types import BOOL, DATETIME, INT, LONG, STRING, ArrayType, ScalarKind, Type
from loom.lower.expressions.builtin.collections import collection_call, collection_member
from loom.lower.expressions.builtin.elsewhere import built_in
from loom.lower.expressions.builtin.regex import outside_subset
from loom.lower.problems.expressions import (
    IntrinsicArgType,
    IntrinsicArity,
    IntrinsicBare,
    IntrinsicNamedArg,
    IntrinsicUnknown,
    RegexNotLiteral,
    RegexUnsupported,
)
from loom.lower.scope.frames import Frame
from loom.lower.scope.relations import convert, fitted, is_number, scalar_kind, show, widest
from loom.parse import ast


class Builtin(NamedTuple):
    """`takes` and `gives` are None where the type is the receiver's; the last `optional` may be left out."""

    fn: Fn
    form: str
    takes: tuple[Type | None, ...] = ()
    gives: Type | None = None
    optional: int = 0


_STRINGS = {
    "trim": Builtin(Fn.TRIM, "trim()", (), STRING),
    "toUpper": Builtin(Fn.TO_UPPER, "toUpper()", (), STRING),
    "toLower": Builtin(Fn.TO_LOWER, "toLower()", (), STRING),
    "substring": Builtin(Fn.SUBSTRING, "substring(start, length)", (INT, INT), STRING, 1),
    "startsWith": Builtin(Fn.STARTS_WITH, "startsWith(text)", (STRING,), BOOL),
    "endsWith": Builtin(Fn.ENDS_WITH, "endsWith(text)", (STRING,), BOOL),
    "contains": Builtin(Fn.STRING_CONTAINS, "contains(text)", (STRING,), BOOL),
    "replace": Builtin(Fn.REPLACE, "replace(text, by)", (STRING, STRING), STRING),
    "split": Builtin(Fn.SPLIT, "split(separator)", (STRING,), ArrayType(of=STRING)),
    "matches": Builtin(Fn.MATCHES, 'matches("pattern")', (STRING,), BOOL),
}
_NUMBERS = {
    "abs": Builtin(Fn.ABS, "abs()"),
    "min": Builtin(Fn.NUMBER_MIN, "min(other)", (None,)),
    "max": Builtin(Fn.NUMBER_MAX, "max(other)", (None,)),
}
_WHOLE = _NUMBERS | {"divTrunc": Builtin(Fn.DIV_TRUNC, "divTrunc(by)", (None,))}
_FRACTIONS = _NUMBERS | {
    "round": Builtin(Fn.ROUND, "round(places)", (INT,), None, 1),
    "floor": Builtin(Fn.FLOOR, "floor()"),
    "ceil": Builtin(Fn.CEIL, "ceil()"),
}
_DATETIMES = {"startOfDay": Builtin(Fn.START_OF_DAY, "startOfDay()", (), DATETIME)}
_MEMBERS: Mapping[ScalarKind, Mapping[str, Builtin]] = {
    ScalarKind.STRING: _STRINGS,
    ScalarKind.INT: _WHOLE,
    ScalarKind.LONG: _WHOLE,
    ScalarKind.DECIMAL: _FRACTIONS,
    ScalarKind.MONEY: _FRACTIONS,
    ScalarKind.DATETIME: _DATETIMES,
}


def members_of(type_: Type) -> Mapping[str, Builtin]:
    kind = scalar_kind(type_)
    return _MEMBERS.get(kind, {}) if kind is not None else {}


def member_builtin(frame: Frame, node: ast.Member, target: Expr) -> Expr | None:
    """A built-in written without parentheses: `length`, and the collection members that take nothing."""
    if isinstance(target.type, ArrayType):
        return collection_member(frame, node, target, target.type.of)
    if node.name == "length" and target.type == STRING:
        return Call(type=INT, fn=Fn.LENGTH, arguments=(target,))
    known = members_of(target.type)
    if node.name in known:
        form = known[node.name].form
        return frame.fail(IntrinsicBare(at=frame.at(node.at), case="bare", name=node.name, form=form))
    return frame.fail(unknown(frame, node, target.type, known))


def unknown(frame: Frame, node: ast.Member, type_: Type, known: Mapping[str, object]) -> IntrinsicUnknown:
    near = built_in(node.name, [*known, "length"] if type_ == STRING else [*known])
    return IntrinsicUnknown(at=frame.at(node.at), type=show(type_), name=node.name, nearest=near)


def builtin_call(frame: Frame, node: ast.Member, arguments: tuple[ast.Argument, ...], target: Expr) -> Expr | None:
    if isinstance(target.type, ArrayType):
        return collection_call(frame, node, arguments, target, target.type.of)
    known = members_of(target.type)
    found = known.get(node.name)
    if found is None and node.name == "length" and target.type == STRING:
        return frame.fail(IntrinsicBare(at=frame.at(node.at), case="called", name=node.name, form=node.name))
    if found is None:
        return frame.fail(unknown(frame, node, target.type, known))
    values = given(frame, node, arguments, found)
    if values is None:
        return None
    if found.fn is Fn.MATCHES and not _is_portable(frame, arguments[0].value):
        return None
    if found.takes == (None,):
        return _same_kind(frame, arguments[0], found, target, values[0])
    return _plain(frame, arguments, found, target, values)


def given(frame: Frame, node: ast.Member, arguments: tuple[ast.Argument, ...], found: Builtin) -> list[Expr] | None:
    """The arguments, lowered; None when their number is wrong or one of them is."""
    least, most = len(found.takes) - found.optional, len(found.takes)
    for argument in arguments:
        if argument.name:
            at = frame.at(argument.at)
            frame.report(IntrinsicNamedArg(at=at, name=node.name, argument=argument.name))
            return None
    if not least <= len(arguments) <= most:
        expected = counted(least) if least == most else f"{least} or {most} arguments"
        frame.report(
            IntrinsicArity(
                at=frame.at(node.at),
                name=node.name,
                expected=expected,
                found=len(arguments),
                form=found.form,
            )
        )
        return None
    values = [frame.lower(item.value, wanted) for item, wanted in zip(arguments, found.takes, strict=False)]
    whole = [item for item in values if item is not None]
    return whole if len(whole) == len(values) else None


def counted(number: int) -> str:
    return {0: "no argument", 1: "one argument"}.get(number, f"{number} arguments")


def _plain(
    frame: Frame, arguments: tuple[ast.Argument, ...], found: Builtin, target: Expr, values: list[Expr]
) -> Expr | None:
    fitting = [target]
    for value, wanted, written in zip(values, found.takes, arguments, strict=False):
        fit = fitted(value, wanted or target.type)
        if fit is None:
            return frame.fail(_argument(frame, written, found, wanted or target.type, value))
        fitting.append(fit)
    return Call(type=found.gives or target.type, fn=found.fn, arguments=tuple(fitting))


def _same_kind(frame: Frame, written: ast.Argument, found: Builtin, target: Expr, value: Expr) -> Expr | None:
    """`min`, `max` and `divTrunc` work in the wider of the two types."""
    wide = widest(target.type, value.type)
    if wide is not None and found.fn is Fn.DIV_TRUNC and wide not in (INT, LONG):
        wide = None
    if wide is not None:
        arguments = (convert(target, wide), convert(value, wide))
        return Call(type=wide, fn=found.fn, arguments=arguments)
    fit = fitted(value, target.type) if not is_number(target.type) else None
    if fit is None:
        return frame.fail(_argument(frame, written, found, target.type, value))
    return Call(type=target.type, fn=found.fn, arguments=(target, fit))


def _argument(frame: Frame, written: ast.Argument, found: Builtin, wanted: Type, value: Expr) -> IntrinsicArgType:
    return IntrinsicArgType(
        at=frame.at(written.value.at),
        name=found.form.partition("(")[0],
        expected=show(wanted),
        found=show(value.type),
        form=found.form,
    )


def _is_portable(frame: Frame, pattern: ast.Expression) -> bool:
    if not isinstance(pattern, ast.StringLiteral):
        frame.report(RegexNotLiteral(at=frame.at(pattern.at)))
        return False
    reason = outside_subset(pattern.value)
    if reason:
        frame.report(RegexUnsupported(at=frame.at(pattern.at), reason=reason))
    return not reason
