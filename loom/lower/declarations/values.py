"""Enums, value objects, events and command records.

In: their declarations and shapes. Out: IR declarations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.ir import program as ir
from loom.lower.bodies.tests import unit_tests
from loom.lower.declarations.members import (
    derived,
    functions,
    instance_frame,
    invariants,
    properties,
)
from loom.lower.problems.members import MessageFieldModifier
from loom.lower.problems.names import DuplicateEnumValue, EmptyEnum
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.shapes import InstanceShape
from loom.lower.scope.source import Source
from loom.parse import ast


def enum(declared: ast.Enum, source: Source) -> ir.Enum:
    source.declare(declared.at, declared.name)
    values: dict[str, None] = {}
    for value in declared.values:
        source.declare(value.at, declared.name, value.name)
        if value.name in values:
            at = source.place(value.at)
            source.report(DuplicateEnumValue(at=at, name=value.name, owner=declared.name))
        values[value.name] = None
    if not values:
        source.report(EmptyEnum(at=source.place(declared.at), name=declared.name))
    return ir.Enum(name=declared.name, values=tuple(values))


def value_object(
    frame: Frame, declared: ast.ValueObject, shape: InstanceShape, hoisted: Iterable[ast.Test]
) -> ir.ValueObject:
    members = declared.members
    declare_members(frame.scope.source, declared.name, declared.at, members)
    report_unsupported(frame.scope.source, members)
    inner = instance_frame(frame, shape)
    return ir.ValueObject(
        name=declared.name,
        properties=properties(inner, members, shape),
        derived=derived(inner, members, shape),
        invariants=invariants(inner, members),
        functions=functions(inner.within(Body.FUNCTION), members, dict(shape.functions)),
        tests=unit_tests(frame, declared.name, members, hoisted),
    )


def event(frame: Frame, declared: ast.Event, shape: InstanceShape) -> ir.Event:
    return ir.Event(name=declared.name, fields=_fields(frame, declared, shape))


def record(frame: Frame, declared: ast.Payload, shape: InstanceShape) -> ir.Record:
    fields = _fields(frame, declared, shape)
    return ir.Record(name=declared.name, fields=fields, error=declared.kind is ast.PayloadKind.ERROR)


def _fields(frame: Frame, declared: ast.Event | ast.Payload, shape: InstanceShape) -> tuple[ir.Property, ...]:
    declare_members(frame.scope.source, declared.name, declared.at, declared.fields)
    for item in declared.fields:
        for word in _modifiers(item):
            frame.report(MessageFieldModifier(at=frame.at(item.at), name=item.name, modifier=word))
    return properties(instance_frame(frame, shape), declared.fields, shape)


def _modifiers(item: ast.Property) -> Iterator[str]:
    """What only fields that are stored may be."""
    if item.access is not ast.Access.EDITABLE:
        yield item.access.value
    if item.mask is not None:
        yield "mask unless"
    if item.provenanced is not None:
        yield "provenanced"


def declare_members(source: Source, owner: str, at: int, members: Iterable[object], *outer: str) -> None:
    """Remembers where `owner` and each named member of it stand."""
    source.declare(at, *outer, owner)
    for member in members:
        match member:
            case ast.Property() | ast.Containment() | ast.Derived() | ast.Function():
                source.declare(member.at, *outer, owner, member.name)


def report_unsupported(source: Source, members: Iterable[object]) -> None:
    for member in members:
        if isinstance(member, ast.Unsupported):
            source.unsupported(member.at, member.feature)
