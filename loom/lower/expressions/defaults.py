"""Defaults of fields and parameters, lowered once each, when somebody needs them.

In: a member and the shape that holds it. Out: its default in the member's own type, or None.
Never: a report twice: what was lowered is remembered in the scope.
"""

from __future__ import annotations

from msgspec.structs import replace

from loom.ir.expressions import Expr, Null
from loom.ir.types import DECIMAL, INT, LONG, STRING, EnumType, IdType, Type
from loom.lower.problems.types import AssignmentType, NullToRequired
from loom.lower.scope.frames import UNTOLD, Body, Frame
from loom.lower.scope.relations import fitted, is_optional, show, without_optional
from loom.lower.scope.shapes import InstanceShape, MemberShape, ParameterShape
from loom.parse import ast


def default_of(frame: Frame, shape: InstanceShape, member: MemberShape) -> Expr | None:
    if member.default is None:
        return member.lowered_default
    inner = replace(_empty(frame, member.name), this=shape)
    return _remembered(inner, member.default, member.type)


def parameter_default(frame: Frame, parameter: ParameterShape) -> Expr | None:
    if parameter.default is None:
        return parameter.lowered_default
    return _remembered(_empty(frame, parameter.name), parameter.default, parameter.type)


def _empty(frame: Frame, name: str) -> Frame:
    return Frame(scope=frame.scope, body=Body.DEFAULT, evaluate=frame.evaluate, owner=name)


def _remembered(frame: Frame, written: ast.Expression, type_: Type | None) -> Expr | None:
    # Nodes are told apart by identity: equal text in two declarations means two defaults.
    known, key = frame.scope.defaults, id(written)
    if key not in known:
        known[key] = None  # a default that needs itself has no value
        known[key] = _lowered(frame, written, type_)
    return known[key]


def _lowered(frame: Frame, written: ast.Expression, type_: Type | None) -> Expr | None:
    value = frame.lower(written, type_ or UNTOLD)
    if value is None or type_ is None:
        return None
    return assigned(frame, written.at, frame.owner, value, type_)


def assigned(frame: Frame, at: int, target: str, value: Expr, type_: Type) -> Expr | None:
    """`value` as `type_`, or a report that `target` does not take it."""
    fit = fitted(value, type_)
    if fit is not None:
        return fit
    if isinstance(value, Null) and not is_optional(type_):
        return frame.fail(NullToRequired(at=frame.at(at), target=target, expected=show(type_)))
    return frame.fail(
        AssignmentType(
            at=frame.at(at),
            target=target,
            expected=show(type_),
            found=show(value.type),
            hint=hint(type_, value.type),
        )
    )


_CONVERSIONS = {
    "string": ("int", "long", "decimal", "money", "bool"),
    "long": ("int",),
    "decimal": ("int", "long", "money"),
    "money": ("int", "long", "decimal"),
}


_NO_NUMBER = "a number stands without quotes, and no string is read as one"
_NO_STRING = {
    "money": 'an amount is written `money("10.50")`, and no other string is read as one',
    "int": _NO_NUMBER,
    "long": _NO_NUMBER,
    "decimal": _NO_NUMBER,
    "bool": "write `true`, `false` or a comparison",
    "datetime": "no string is read as a moment: take a datetime as a parameter, or use `now()`",
}
"""What to do where a value of that type is wanted and a string is given."""


def hint(expected: Type | None, found: Type) -> str:
    """What would make `found` fit, when something simple would."""
    wanted = without_optional(expected) if expected is not None else None
    name, given = show(wanted), show(found)
    if given in _CONVERSIONS.get(name, ()) or (name == "string" and isinstance(found, IdType)):
        return f"convert it with `{name}(…)`"
    if isinstance(wanted, IdType) and name == f"{given} id":
        return "write `.id` behind it"
    if expected is not None and given == f"{show(expected)}?":
        return f"it may be null: write `… != null ? … : …`, with the {name} behind `:`"
    if wanted in (INT, LONG) and found == DECIMAL:
        return "no decimal is made whole; `a.divTrunc(b)` divides whole numbers"
    if found != STRING:
        return ""
    return "write the bare name of one of its values" if isinstance(wanted, EnumType) else _NO_STRING.get(name, "")
