"""What a projection selects: values of rows, or summaries over many of them.

In: select items as written, and the frame of the source. Out: IR selects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loom.ir.expressions import Expr, Local
from loom.ir.projections import ProjectionSelect, Summary
from loom.ir.types import DECIMAL, INT, MONEY, AggregateType, OptionalType, Type
from loom.lower.declarations.queryable import is_column
from loom.lower.expressions.arguments import passed
from loom.lower.expressions.calls import function_named
from loom.lower.expressions.defaults import assigned
from loom.lower.problems.expressions import AvgNonNumeric, CallArgCount, ReductionNonComparable
from loom.lower.problems.names import DuplicateField
from loom.lower.problems.projections import (
    ProjectionAggregateArgNotColumnar,
    ProjectionGroupbyMissing,
    ProjectionGroupbyNoAggregate,
    ProjectionGroupbySelectNotGrouped,
)
from loom.lower.problems.types import BareAggregateInType
from loom.lower.scope.frames import Frame
from loom.lower.scope.predicates import renamed
from loom.lower.scope.relations import ORDERED, domain_of, is_number, show, without_optional
from loom.lower.scope.shapes import InstanceShape
from loom.parse import ast

_SUMMARIES: Mapping[str, Summary] = {item.value: item for item in Summary}


def of_source(declared: ast.Projection, written: ast.Expression) -> ast.Expression:
    """`written` with `this` for the name that the projection gives its source."""
    alias = declared.source.alias if declared.source is not None else ""
    return renamed(written, alias) if alias else written


def selects(frame: Frame, declared: ast.Projection, row: InstanceShape) -> tuple[ProjectionSelect, ...]:
    seen: set[str] = set()
    made: list[ProjectionSelect] = []
    for item in declared.selects:
        if item.name in seen:
            frame.report(DuplicateField(at=frame.at(item.at), name=item.name, owner=declared.name))
        seen.add(item.name)
        member = row.members.get(item.name)
        made += _select(frame, item, of_source(declared, item.value), member.type if member is not None else None)
    return tuple(made)


def _select(
    frame: Frame, item: ast.SelectItem, written: ast.Expression, wanted: Type | None
) -> Iterator[ProjectionSelect]:
    summary = _summary(frame, written)
    if summary is not None and isinstance(written, ast.Call):
        made = _summarised(frame, item.name, written, summary)
        if made is not None and wanted is not None:
            assigned(frame, item.value.at, item.name, Local(type=made.type, name=item.name), wanted)
        yield from [made] if made is not None else []
        return
    value = frame.lower(written, wanted)
    if value is not None and wanted is not None:
        value = assigned(frame, item.value.at, item.name, value, wanted)
    if value is not None and isinstance(value.type, AggregateType):
        name = value.type.ref.name
        frame.report(BareAggregateInType(at=frame.at(item.value.at), name=name))
    elif value is not None:
        yield ProjectionSelect(name=item.name, type=wanted or value.type, summary=None, value=value)


def _summary(frame: Frame, written: ast.Expression) -> Summary | None:
    """The summary that `written` calls, unless the model has a function of that name."""
    match written:
        case ast.Call(callee=ast.Name(name=name)) if name in _SUMMARIES and function_named(frame, name) is None:
            return _SUMMARIES[name]
        case _:
            return None


def _summarised(frame: Frame, name: str, call: ast.Call, summary: Summary) -> ProjectionSelect | None:
    if summary is Summary.COUNT:
        is_right = passed(frame, call, summary.value, ()) is not None
        return ProjectionSelect(name=name, type=INT, summary=summary, value=None) if is_right else None
    if len(call.arguments) != 1:
        at, found, text = frame.at(call.at), len(call.arguments), summary.value
        problem = CallArgCount(
            at=at, case="some", name=text, expected="one argument", found=found, parameters="a column"
        )
        frame.report(problem)
        return None
    value, at = frame.lower(call.arguments[0].value), frame.at(call.arguments[0].at)
    if value is not None and not is_column(value):
        frame.report(ProjectionAggregateArgNotColumnar(at=at, summary=summary.value))
        return None
    type_ = _type(frame, call, summary, value) if value is not None else None
    return ProjectionSelect(name=name, type=type_, summary=summary, value=value) if type_ is not None else None


def _type(frame: Frame, call: ast.Call, summary: Summary, value: Expr) -> Type | None:
    """What a summary of `value` is; the average, least and greatest of nothing are null."""
    kind, at = without_optional(value.type), frame.at(call.arguments[0].at)
    if summary in (Summary.MIN, Summary.MAX):
        if domain_of(kind) not in ORDERED:
            frame.report(ReductionNonComparable(at=at, name=summary.value, found=show(value.type)))
            return None
        return OptionalType(of=kind)
    if not is_number(kind) and kind != MONEY:
        frame.report(AvgNonNumeric(at=at, name=summary.value, found=show(value.type)))
        return None
    return kind if summary is Summary.SUM else OptionalType(of=kind if kind == MONEY else DECIMAL)


def check_groups(
    frame: Frame, declared: ast.Projection, groups: tuple[Expr, ...], made: tuple[ProjectionSelect, ...]
) -> None:
    """Whether each selected value is one value for every row that is answered."""
    rows = [item for item in made if item.summary is None]
    places = {item.name: frame.at(item.at) for item in declared.selects}
    if not declared.groups:
        if rows and len(rows) < len(made):
            frame.report(ProjectionGroupbyMissing(at=places[rows[0].name], field=rows[0].name))
        return
    if declared.selects and len(rows) == len(declared.selects):
        frame.report(ProjectionGroupbyNoAggregate(at=frame.at(declared.groups[0].at), name=declared.name))
    for item in rows if len(groups) == len(declared.groups) else ():
        if item.value not in groups:
            frame.report(ProjectionGroupbySelectNotGrouped(at=places[item.name], field=item.name))
