"""Circles that would never end: derived values, value objects, parts.

In: a context or the root. Out: one report for each declaration on a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Diagnostic, Value, circles
from loom.ir import program as ir
from loom.ir.expressions import Field, FieldKind, FunctionCall, This
from loom.ir.types import ArrayType, OptionalType, Type, ValueObjectType, code_in
from loom.validate.problems import CyclicContainment, CyclicDerived, CyclicValueObject
from loom.validate.where import Where

WithDerived = ir.Aggregate | ir.ValueObject | ir.Part


def derived(owner: WithDerived, path: tuple[str, ...], where: Where) -> Iterator[Diagnostic]:
    """Derived values of one instance, also through its functions."""
    graph = {item.name: _needs(item.value) for item in owner.derived}
    own = set(graph)
    if any(graph.values()):
        graph |= {item.name: _needs(item) for item in owner.functions}
    for way in circles(graph):
        if not own.isdisjoint(way):
            yield CyclicDerived(at=where(*path, way[0]), name=way[0], path=" → ".join(way))


def _needs(value: Value) -> tuple[str, ...]:
    found = []
    for node in code_in(value):
        match node:
            case Field(receiver=This(), name=name, kind=FieldKind.DERIVED):
                found.append(name)
            case FunctionCall(receiver=This(), name=name):
                found.append(name)
    return tuple(dict.fromkeys(found))


def value_objects(declared: Iterable[ir.ValueObject], where: Where) -> Iterator[Diagnostic]:
    for way in circles({item.name: tuple(_held(item)) for item in declared}):
        yield CyclicValueObject(at=where(way[0]), name=way[0], path=" → ".join(way))


def _held(declared: ir.ValueObject) -> Iterator[str]:
    for item in declared.properties:
        inner: Type = item.type
        while isinstance(inner, OptionalType | ArrayType):
            inner = inner.of
        if isinstance(inner, ValueObjectType):
            yield inner.ref.name


def containments(aggregate: ir.Aggregate, where: Where) -> Iterator[Diagnostic]:
    graph = {part.name: tuple(item.part for item in part.containments) for part in aggregate.parts}
    for way in circles(graph):
        at = where(aggregate.name, way[0])
        yield CyclicContainment(at=at, name=way[0], owner=aggregate.name, path=" → ".join(way))
