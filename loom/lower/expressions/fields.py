"""Filling the fields of a record: builders and `emit` give values by name, the rest is defaulted.

In: the shape to fill and the values given. Out: one value for every stored field, in declaration order.
Never: an opinion on wording: the caller says how a missing, unknown or unfitting field is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from loom.base import Diagnostic, NodePath, misspelt, nearest
from loom.ir.expressions import Expr, FieldKind, FieldValue, ListLiteral, Null
from loom.ir.types import ArrayType, OptionalType, Type
from loom.lower.expressions.defaults import default_of
from loom.lower.expressions.sensitivity import check_flow
from loom.lower.problems.expressions import DuplicateConstructionField
from loom.lower.scope.frames import UNTOLD, Frame
from loom.lower.scope.relations import fitted
from loom.lower.scope.shapes import InstanceShape, MemberShape
from loom.parse import ast


class Wording(NamedTuple):
    """(place, owner, field) → missing; (place, owner, field, nearest) → unknown; with types → mismatch."""

    missing: Callable[[NodePath, str, str], Diagnostic]
    unknown: Callable[[NodePath, str, str, str], Diagnostic]
    mismatch: Callable[[NodePath, str, str, Type, Type], Diagnostic]


def filled(
    frame: Frame, at: int, shape: InstanceShape, given: tuple[ast.FieldValue, ...], wording: Wording
) -> tuple[FieldValue, ...] | None:
    """Every stored field of `shape` with its value; None when one is wrong or missing."""
    values = _by_name(frame, shape, given, wording)
    meant = misspelt((item.name for item in given), (member.name for member in shape.stored()))
    result: list[FieldValue] = []
    sound = True
    for member in shape.stored():
        if member.name in values:
            value = _value(frame, shape, member, values[member.name], wording)
        else:
            value = absent(frame, shape, member)
            is_told = member.type is None or member.has_default or member.name in meant
            if value is None and not is_told:
                frame.report(wording.missing(frame.at(at), shape.name, member.name))
        if value is None:
            sound = False
        else:
            result.append(FieldValue(name=member.name, value=value))
    return tuple(result) if sound and len(values) == len(given) else None


def _by_name(
    frame: Frame, shape: InstanceShape, given: tuple[ast.FieldValue, ...], wording: Wording
) -> dict[str, ast.FieldValue]:
    stored = [member.name for member in shape.stored()]
    known = set(stored)
    values: dict[str, ast.FieldValue] = {}
    for item in given:
        if item.name in values:
            frame.report(DuplicateConstructionField(at=frame.at(item.at), name=item.name))
        elif item.name not in known:
            near = nearest(item.name, stored)
            frame.report(wording.unknown(frame.at(item.at), shape.name, item.name, near))
            frame.lower(item.value, UNTOLD)
        else:
            values[item.name] = item
    return values


def _value(
    frame: Frame, shape: InstanceShape, member: MemberShape, given: ast.FieldValue, wording: Wording
) -> Expr | None:
    value = frame.lower(given.value, member.type or UNTOLD)
    if value is None or member.type is None:
        return None
    fit = fitted(value, member.type)
    if fit is None:
        at = frame.at(given.value.at)
        frame.report(wording.mismatch(at, shape.name, member.name, member.type, value.type))
    check_flow(frame, given.value.at, fit, f"{shape.name}.{member.name}", member.tags)
    return fit


def absent(frame: Frame, shape: InstanceShape, member: MemberShape) -> Expr | None:
    """What a field is when nobody gives it; None when it must be given."""
    if member.has_default:
        return default_of(frame, shape, member)
    if isinstance(member.type, OptionalType):
        return Null(type=member.type)
    if isinstance(member.type, ArrayType) and member.kind is FieldKind.CONTAINMENT:
        return ListLiteral(type=member.type, items=())
    return None
