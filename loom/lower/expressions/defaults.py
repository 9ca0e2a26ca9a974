"""Defaults of fields and parameters, lowered once each, when somebody needs them.

In: a member and the shape that holds it. Out: its default in the member's own type, or None.
Never: a report twice: what was lowered is remembered in the scope.
"""

from __future__ import annotations

from dataclasses import replace

from loom.ir.expressions import Expr, Null
from loom.ir.types import Type
from loom.lower.problems.types import AssignmentType, NullToRequired
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.relations import fitted, is_optional, show
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
    value = frame.lower(written, type_)
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
            hint=hint(show(type_), show(value.type)),
        )
    )


_CONVERSIONS = {
    "string": ("int", "long", "decimal", "money", "bool"),
    "long": ("int",),
    "decimal": ("int", "long", "money"),
    "money": ("int", "long", "decimal"),
}


def hint(expected: str, found: str) -> str:
    """What would make `found` fit, when something simple would."""
    if found in _CONVERSIONS.get(expected, ()) or (expected == "string" and found.endswith(" id")):
        return f"convert it with `{expected}(…)`"
    if found == f"{expected}?":
        return f"it may be null: write `… != null ? … : …`, with a {expected} behind `:`"
    return ""
