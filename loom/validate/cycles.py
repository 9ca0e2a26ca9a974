"""Circles that would never end: derived values, value objects, parts.

In: a context or the root. Out: one report for each declaration on a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loom.base import Diagnostic, Value, descendants
from loom.ir import program as ir
from loom.ir.expressions import Field, FieldKind, FunctionCall, This
from loom.ir.types import ArrayType, OptionalType, Type, ValueObjectType
from loom.validate.problems import CyclicContainment, CyclicDerived, CyclicValueObject
from loom.validate.where import Where

Graph = Mapping[str, tuple[str, ...]]
WithDerived = ir.Aggregate | ir.ValueObject | ir.Part


def circles(graph: Graph) -> Iterator[tuple[str, str]]:
    """Each circle once: the first name on it, and the way round."""
    reported: set[str] = set()
    for name in graph:
        if name not in reported and (way := circle(name, graph)):
            reported |= set(way)
            yield name, " → ".join(way)


def circle(start: str, graph: Graph) -> list[str]:
    """A shortest way from `start` back to itself; empty when there is none."""
    paths = [[start]]
    seen: set[str] = set()
    for path in paths:
        for name in graph.get(path[-1], ()):
            if name == start:
                return [*path, start]
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return []


def derived(owner: WithDerived, path: tuple[str, ...], where: Where) -> Iterator[Diagnostic]:
    """Derived values of one instance, also through its functions."""
    graph = {item.name: _needs(item.value) for item in owner.derived}
    graph |= {item.name: _needs(item) for item in owner.functions}
    own = {item.name for item in owner.derived}
    for name, printed in circles(graph):
        if not own.isdisjoint(printed.split(" → ")):
            yield CyclicDerived(at=where(*path, name), name=name, path=printed)


def _needs(value: Value) -> tuple[str, ...]:
    found = []
    for node in descendants(value):
        match node:
            case Field(receiver=This(), name=name, kind=FieldKind.DERIVED):
                found.append(name)
            case FunctionCall(receiver=This(), name=name):
                found.append(name)
    return tuple(dict.fromkeys(found))


def value_objects(declared: Iterable[ir.ValueObject], where: Where) -> Iterator[Diagnostic]:
    for name, printed in circles({item.name: tuple(_held(item)) for item in declared}):
        yield CyclicValueObject(at=where(name), name=name, path=printed)


def _held(declared: ir.ValueObject) -> Iterator[str]:
    for item in declared.properties:
        inner: Type = item.type
        while isinstance(inner, OptionalType | ArrayType):
            inner = inner.of
        if isinstance(inner, ValueObjectType):
            yield inner.ref.name


def containments(aggregate: ir.Aggregate, where: Where) -> Iterator[Diagnostic]:
    graph = {part.name: tuple(item.part for item in part.containments) for part in aggregate.parts}
    for name, printed in circles(graph):
        at = where(aggregate.name, name)
        yield CyclicContainment(at=at, name=name, owner=aggregate.name, path=printed)
