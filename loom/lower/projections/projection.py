"""Projections: which of the two kinds each is, its row and its gate.

In: the declarations of a context and its frame. Out: IR projections.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loom.base import Feature
from loom.ir.members import Parameter
from loom.ir.projections import Projection
from loom.ir.types import ProjectionType, Ref
from loom.lower.bodies.conditions import caller_gate
from loom.lower.declarations.members import parameters, with_parameters
from loom.lower.expressions.defaults import default_of
from loom.lower.problems.projections import (
    ProjectionFieldsWithoutSelect,
    ProjectionGateNotCurrentUser,
    ProjectionGroupbyKeyedInvalid,
    ProjectionParamUnused,
    ProjectionQueryAndFoldInvalid,
)
from loom.lower.projections.folds import folds, key_of
from loom.lower.projections.query import query
from loom.lower.projections.sources import Known, known_in, row_shape
from loom.lower.scope.frames import Frame
from loom.lower.scope.members import parameters as parameter_shapes
from loom.lower.scope.shapes import InstanceShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast


def projections(frame: Frame, context: ast.Context) -> tuple[Projection, ...]:
    known = known_in(context)
    return tuple(_projection(frame, item, known) for item in known.projections.values())


def _query_part(declared: ast.Projection) -> str:
    """A part of `declared` that only queries have; empty for one that folds."""
    parts = {
        "`from`": declared.source,
        "`where`": declared.where,
        "`join`": declared.joins,
        "`group by`": declared.groups,
        "`select`": declared.selects,
        "`ignoring`": declared.ignoring,
    }
    return next((name for name, part in parts.items() if part), "")


def _projection(frame: Frame, declared: ast.Projection, known: Known) -> Projection:
    source, types = frame.scope.source, TypeScope(frame.scope.names, frame.scope.source)
    source.declare(declared.at, declared.name)
    asked = _query_part(declared)
    source.use(declared.at, Feature.QUERY_PROJECTIONS if asked else Feature.FOLDED_PROJECTIONS)
    row = row_shape(declared, types, ProjectionType(ref=Ref(context=types.names.context, name=declared.name)))
    given = parameter_shapes(declared.parameters, types, Position.PARAMETER)
    inner = with_parameters(replace(frame, owner=declared.name, read=set()), given)
    _check_kind(frame, declared, asked)
    gated = caller_gate(replace(inner, this=row), declared.requires, declared.name, ProjectionGateNotCurrentUser)
    made = query(inner, declared, row, known) if asked else None
    if made is not None or not asked:
        _report_unused(inner, declared)
    return Projection(
        name=declared.name,
        parameters=parameters(frame, given),
        requires=gated,
        key=key_of(frame, declared, row) if _is_kept(declared, asked) else "",
        fields=tuple(_fields(frame, declared, row)),
        folds=folds(replace(frame, owner=declared.name), declared, row),
        query=made,
    )


def _is_kept(declared: ast.Projection, asked: str) -> bool:
    """Whether its rows need a key; of one with fields alone it is told that nothing fills them."""
    return bool(declared.folds) or (not asked and (declared.key is not None or not declared.fields))


def _report_unused(frame: Frame, declared: ast.Projection) -> None:
    for item in declared.parameters:
        if item.name not in frame.read:
            frame.report(ProjectionParamUnused(at=frame.at(item.at), name=item.name))


def _check_kind(frame: Frame, declared: ast.Projection, asked: str) -> None:
    key, name = declared.key, declared.name
    if asked and declared.folds:
        at = frame.at(declared.folds[0].at)
        frame.report(ProjectionQueryAndFoldInvalid(at=at, name=name, folding="`on`", part=asked))
    elif key is not None and declared.groups:
        frame.report(ProjectionGroupbyKeyedInvalid(at=frame.at(key.at), name=name, key=key.name))
    elif key is not None and asked:
        at = frame.at(key.at)
        frame.report(ProjectionQueryAndFoldInvalid(at=at, name=name, folding="`keyed by`", part=asked))
    elif not asked and not declared.folds:
        for item in declared.fields:
            if key is None or item.name != key.name:
                frame.report(ProjectionFieldsWithoutSelect(at=frame.at(item.at), field=item.name))


def _fields(frame: Frame, declared: ast.Projection, row: InstanceShape) -> Iterator[Parameter]:
    for item in declared.fields:
        frame.scope.source.declare(item.at, declared.name, item.name)
    for member in row.members.values():
        if member.type is not None:
            yield Parameter(name=member.name, type=member.type, default=default_of(frame, row, member))
