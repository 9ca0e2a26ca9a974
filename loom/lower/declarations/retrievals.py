"""Retrievals, and the criteria by which bodies read: what a database is asked.

In: their declarations and the frame of the context. Out: IR retrievals and criteria; selections of inline ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from loom.base import Feature, nearest
from loom.ir.expressions import Expr, FieldKind
from loom.ir.queries import Criterion, Retrieval
from loom.ir.statements import Read, ReadKind, SortKey
from loom.ir.types import Type, ValueObjectType, code_in
from loom.lower.bodies.conditions import condition
from loom.lower.declarations.members import parameters, with_parameters
from loom.lower.declarations.queryable import OF_RETRIEVALS, not_queryable
from loom.lower.expressions.predicates import condition_of
from loom.lower.problems.reading import (
    RetrievalLoadsUnsupported,
    RetrievalSortUnknownField,
)
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.relations import is_comparable, without_optional
from loom.lower.scope.shapes import AggregateShape, InstanceShape, RetrievalShape
from loom.parse import ast


class Selected(NamedTuple):
    where: Expr
    sort: tuple[SortKey, ...]


def retrievals(frame: Frame) -> tuple[Retrieval, ...]:
    return tuple(made for shape in frame.scope.tables.retrievals.values() for made in _retrieval(frame, shape))


def _retrieval(frame: Frame, shape: RetrievalShape) -> Iterator[Retrieval]:
    source, declared = frame.scope.source, shape.declaration
    source.declare(declared.at, shape.name)
    source.use(declared.at, Feature.RETRIEVALS)
    aggregate = frame.scope.tables.aggregates.get(shape.target)
    given = parameters(frame, shape.parameters)
    if aggregate is None:
        return
    made = selected(with_parameters(frame, shape.parameters), aggregate, declared.selection)
    if made is not None:
        yield Retrieval(name=shape.name, aggregate=shape.target, parameters=given, where=made.where, sort=made.sort)


def selected(frame: Frame, aggregate: AggregateShape, written: ast.Selection) -> Selected | None:
    """A selection over the instances of `aggregate`, which also reads the locals of `frame`."""
    inner = replace(frame, body=Body.RETRIEVAL, this=aggregate.instance, aggregate=aggregate, keyless=False)
    if written.loads is not None:
        frame.report(RetrievalLoadsUnsupported(at=frame.at(written.loads.at)))
    where = condition(inner, written.where, "`where`")
    sort = tuple(made for item in written.sort for made in _sort_key(frame, aggregate.instance, item))
    obstacle = not_queryable(where) if where is not None else None
    if obstacle is not None:
        frame.report(OF_RETRIEVALS.of(frame.at(written.where.at), obstacle))
    return Selected(where, sort) if where is not None and obstacle is None else None


def _sort_key(frame: Frame, shape: InstanceShape, written: ast.SortKey) -> Iterator[SortKey]:
    path = tuple(written.path.split("."))
    inner: InstanceShape | None = shape
    type_: Type | None = None
    for name in path:
        member = inner.members.get(name) if inner is not None else None
        if member is None or member.kind not in (FieldKind.PROPERTY, FieldKind.ID) or inner is None:
            _report_sort(frame, shape, written, nearest(name, inner.members) if inner is not None else "")
            return
        type_ = without_optional(member.type) if member.type is not None else None
        inner = instance_of(frame.scope.tables, type_) if isinstance(type_, ValueObjectType) else None
    if type_ is not None and not is_comparable(type_):
        _report_sort(frame, shape, written, "")
        return
    yield SortKey(path=path, descending=written.descending)


def _report_sort(frame: Frame, shape: InstanceShape, written: ast.SortKey, near: str) -> None:
    if not shape.is_partial:
        at = frame.at(written.at)
        problem = RetrievalSortUnknownField(at=at, path=written.path, aggregate=shape.name, nearest=near)
        frame.report(problem)


def criteria(frame: Frame, bodies: object) -> tuple[Criterion, ...]:
    """Those by which `bodies` read, once for each aggregate that is read by them."""
    reads = [item for item in code_in(bodies) if isinstance(item, Read) and item.kind is ReadKind.CRITERION]
    named = dict.fromkeys((item.name, item.aggregate.name) for item in reads)
    return tuple(made for name, aggregate in named for made in _criterion(frame, name, aggregate))


def _criterion(frame: Frame, name: str, aggregate: str) -> Iterable[Criterion]:
    tables = frame.scope.tables
    shape, owner = tables.predicates[name], tables.aggregates[aggregate]
    where = condition_of(replace(frame, body=Body.RETRIEVAL, this=owner.instance, aggregate=owner), shape)
    if where is not None:
        given = parameters(frame, shape.parameters)
        yield Criterion(name=name, aggregate=aggregate, parameters=given, where=where)
