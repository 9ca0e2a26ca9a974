"""What a projection may be asked of: aggregates, workflows, and projections that fold.

In: a name as written, and the declarations of the context. Out: the rows behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loom.base import nearest
from loom.ir.projections import SourceKind
from loom.ir.types import ProjectionType, Ref, Type, WorkflowType
from loom.lower.problems.names import LinkingError
from loom.lower.problems.projections import (
    FieldMaskProjectionSource,
    ProjectionSourceIgnoringNoEffect,
    ProjectionSourceJoinInvalid,
    ProjectionSourceNotMaterialized,
    ProjectionSourceSelf,
    ProjectionWorkflowSourceEventsourcedInvalid,
    ProjectionWorkflowSourceIgnoringNoEffect,
    ProjectionWorkflowSourceJoinInvalid,
    ProjectionWorkflowSourceNotObservable,
)
from loom.lower.scope.frames import Frame
from loom.lower.scope.members import instance, property_shape
from loom.lower.scope.shapes import AggregateShape, InstanceShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast


class Known(NamedTuple):
    """The declarations of a context, the first of each name."""

    projections: Mapping[str, ast.Projection]
    workflows: Mapping[str, ast.Workflow]


class Source(NamedTuple):
    """`aggregate` is None for anything else."""

    kind: SourceKind
    ref: Ref
    rows: InstanceShape
    aggregate: AggregateShape | None = None


def known_in(context: ast.Context) -> Known:
    projections: dict[str, ast.Projection] = {}
    workflows: dict[str, ast.Workflow] = {}
    for item in context.members:
        if isinstance(item, ast.Projection):
            projections.setdefault(item.name, item)
        elif isinstance(item, ast.Workflow):
            workflows.setdefault(item.name, item)
    return Known(projections, workflows)


def row_shape(declared: ast.Projection | ast.Workflow, types: TypeScope, type_: Type) -> InstanceShape:
    members: Iterable[object] = declared.fields if isinstance(declared, ast.Projection) else declared.members
    fields = [item for item in members if isinstance(item, ast.Property)]
    shapes = [(item.at, property_shape(item, types, Position.FIELD)) for item in fields]
    return instance(type_, declared.name, shapes, {}, types.source)


def source_of(frame: Frame, declared: ast.Projection, known: Known) -> Source | None:
    """None for a source that cannot be asked, which has been reported then."""
    written = declared.source
    if written is None:
        return None
    at, name, tables = frame.at(written.at), written.name, frame.scope.tables
    if (aggregate := tables.aggregates.get(name)) is not None:
        check_masks(frame, written.at, aggregate)
        return Source(SourceKind.AGGREGATE, aggregate.ref, aggregate.instance, aggregate)
    if name in known.workflows:
        return _workflow(frame, declared, written.at, known.workflows[name])
    if name == declared.name:
        frame.report(ProjectionSourceSelf(at=at, name=name))
    elif name in known.projections:
        return _projection(frame, declared, written.at, known.projections[name])
    elif not frame.scope.names.is_unsupported(name):
        near = nearest(name, [*tables.aggregates, *known.workflows, *known.projections])
        frame.report(LinkingError(at=at, kind="aggregate, workflow or projection", name=name, nearest=near))
    return None


def check_masks(frame: Frame, at: int, aggregate: AggregateShape) -> None:
    for item in aggregate.declaration.members:
        if isinstance(item, ast.Property) and item.mask is not None:
            name = aggregate.instance.name
            frame.report(FieldMaskProjectionSource(at=frame.at(at), aggregate=name, field=item.name))
            return


def _workflow(frame: Frame, declared: ast.Projection, at: int, source: ast.Workflow) -> Source | None:
    types, name = TypeScope(frame.scope.names, frame.scope.source), source.name
    ref = Ref(context=types.names.context, name=name)
    rows = row_shape(source, types, WorkflowType(ref=ref))
    if source.event_sourced is not None:
        frame.report(ProjectionWorkflowSourceEventsourcedInvalid(at=frame.at(at), source=name))
        return None
    if not rows.key_fields():
        frame.report(ProjectionWorkflowSourceNotObservable(at=frame.at(at), source=name))
        return None
    for item in declared.joins:
        place, aggregate = frame.at(item.at), item.aggregate
        frame.report(ProjectionWorkflowSourceJoinInvalid(at=place, source=name, aggregate=aggregate))
    for lifted in declared.ignoring[:1]:
        frame.report(ProjectionWorkflowSourceIgnoringNoEffect(at=frame.at(lifted.at), source=name))
    return Source(SourceKind.WORKFLOW, ref, rows)


def _projection(frame: Frame, declared: ast.Projection, at: int, source: ast.Projection) -> Source | None:
    types, name = TypeScope(frame.scope.names, frame.scope.source), source.name
    ref = Ref(context=types.names.context, name=name)
    if not source.folds:
        frame.report(ProjectionSourceNotMaterialized(at=frame.at(at), source=name))
        return None
    for item in declared.joins:
        place, aggregate = frame.at(item.at), item.aggregate
        frame.report(ProjectionSourceJoinInvalid(at=place, source=name, aggregate=aggregate))
    for lifted in declared.ignoring[:1]:
        frame.report(ProjectionSourceIgnoringNoEffect(at=frame.at(lifted.at), source=name))
    return Source(SourceKind.PROJECTION, ref, row_shape(source, types, ProjectionType(ref=ref)))
