"""Projections that are asked of what is stored: conditions, joins, groups.

In: the declaration, the shape of its row, what may be a source. Out: an IR query.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loom.base import nearest
from loom.ir.expressions import Call, Expr, Fn
from loom.ir.projections import ProjectionJoin, ProjectionQuery, SourceKind
from loom.ir.types import AggregateType, IdType
from loom.lower.bodies.conditions import condition
from loom.lower.declarations.filters import ignored
from loom.lower.declarations.queryable import OF_FINDS, is_column, not_queryable
from loom.lower.problems.names import DuplicateLocal, LinkingError
from loom.lower.problems.projections import (
    ProjectionFieldsWithoutSelect,
    ProjectionGroupbyJoinInvalid,
    ProjectionGroupbyKeyNotColumnar,
    ProjectionGroupbySourceInvalid,
    ProjectionJoinKey,
    ProjectionShorthandNonaggregate,
)
from loom.lower.projections.selects import check_groups, of_source, selects
from loom.lower.projections.sources import Known, Source, check_masks, source_of
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.relations import show, without_optional
from loom.lower.scope.shapes import InstanceShape
from loom.parse import ast


def query(frame: Frame, declared: ast.Projection, row: InstanceShape, known: Known) -> ProjectionQuery | None:
    """None where something in it is wrong, which has been reported then; `frame` knows the parameters."""
    before = len(frame.scope.source.problems)
    source = source_of(frame, declared, known)
    if source is None:
        return None
    asked = replace(frame, body=Body.PROJECTION, this=source.rows, aggregate=source.aggregate, owner=source.ref.name)
    where, joins = _where(asked, declared), tuple(_joins(asked, declared))
    _check_parts(frame, declared, source)
    groups = tuple(_groups(asked, declared))
    for item in declared.joins:  # also one that is joined on something wrong
        shape = frame.scope.tables.aggregates.get(item.aggregate)
        type_ = AggregateType(ref=shape.ref) if shape is not None else None
        asked = asked.bind(item.alias.name, type_, Origin.LOADED)
    made = selects(asked, declared, row)
    check_groups(frame, declared, groups, made)
    _check_filled(frame, declared, source)
    lifted = ignored(frame, declared.ignoring, source.aggregate.declaration) if source.aggregate is not None else ()
    if len(frame.scope.source.problems) > before:
        return None
    return ProjectionQuery(
        kind=source.kind, source=source.ref, where=where, ignoring=lifted, joins=joins, groups=groups, selects=made
    )


def _where(frame: Frame, declared: ast.Projection) -> Expr | None:
    if declared.where is None:
        return None
    value = condition(frame.within(Body.FIND), of_source(declared, declared.where), "`where`")
    obstacle = not_queryable(value) if value is not None else None
    if obstacle is not None:
        frame.report(OF_FINDS.of(frame.at(declared.where.at), obstacle))
    return value


def _joins(frame: Frame, declared: ast.Projection) -> Iterator[ProjectionJoin]:
    aggregates = frame.scope.tables.aggregates
    seen = {declared.source.alias} if declared.source is not None else set()
    for item in declared.joins:
        shape = aggregates.get(item.aggregate)
        if item.alias.name in (*seen, *frame.locals):
            frame.report(DuplicateLocal(at=frame.at(item.alias.at), name=item.alias.name))
        seen.add(item.alias.name)
        on = frame.lower(of_source(declared, item.on))
        if shape is None:
            at, near = frame.at(item.at), nearest(item.aggregate, aggregates)
            frame.report(LinkingError(at=at, kind="aggregate", name=item.aggregate, nearest=near))
            continue
        check_masks(frame, item.at, shape)
        if on is not None and without_optional(on.type) != IdType(aggregate=shape.ref):
            at = frame.at(item.on.at)
            frame.report(ProjectionJoinKey(at=at, aggregate=item.aggregate, found=show(on.type)))
        elif on is not None:
            yield ProjectionJoin(name=item.alias.name, aggregate=shape.ref, on=on)


def _groups(frame: Frame, declared: ast.Projection) -> Iterator[Expr]:
    for item in declared.groups:
        value = frame.lower(of_source(declared, item))
        if value is not None and not _is_bucket(value):
            frame.report(ProjectionGroupbyKeyNotColumnar(at=frame.at(item.at)))
        elif value is not None:
            yield value


def _is_bucket(value: Expr) -> bool:
    if isinstance(value, Call) and value.fn is not Fn.START_OF_DAY:
        return False
    return is_column(value)


def _check_parts(frame: Frame, declared: ast.Projection, source: Source) -> None:
    if not declared.groups:
        return
    at = frame.at(declared.groups[0].at)
    if source.kind is not SourceKind.AGGREGATE:
        frame.report(ProjectionGroupbySourceInvalid(at=at, source=source.ref.name))
    elif declared.joins:
        aggregate = declared.joins[0].aggregate
        frame.report(ProjectionGroupbyJoinInvalid(at=at, name=declared.name, aggregate=aggregate))


def _check_filled(frame: Frame, declared: ast.Projection, source: Source) -> None:
    filled = {item.name for item in declared.selects}
    for item in declared.fields:
        if item.name not in filled:
            frame.report(ProjectionFieldsWithoutSelect(at=frame.at(item.at), field=item.name))
    if not declared.selects and source.kind is not SourceKind.AGGREGATE:
        at = frame.at(declared.at)
        frame.report(ProjectionShorthandNonaggregate(at=at, source=source.ref.name))
