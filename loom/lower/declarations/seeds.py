"""Seeds: rows that are there from the start.

In: the seeds of a context. Out: rows of its aggregates, every value in the type of its field.
Never: a row without what it needs; rows of other contexts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from loom.base import Feature, misspelt, nearest
from loom.ir import data as ir
from loom.ir.expressions import Convert, EnumLiteral, Expr, FieldKind, FieldValue, Literal, Negate, Now, Null
from loom.ir.program import Access
from loom.ir.types import BOOL, DATETIME, GUID, IdType, OptionalType, Type
from loom.lower.expressions.arguments import left_out
from loom.lower.problems.data import (
    SeedDuplicateField,
    SeedFieldType,
    SeedForeignAggregate,
    SeedIdNeedsRaw,
    SeedMissingField,
    SeedRawColumnInvalid,
    SeedRawNonLiteralColumn,
    SeedUnknownField,
)
from loom.lower.problems.names import LinkingError
from loom.lower.problems.repositories import CreateServerField
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.relations import fitted, is_single, show, without_optional
from loom.lower.scope.shapes import AggregateShape, ParameterShape
from loom.parse import ast

_SERVER = (Access.MANAGED, Access.TOKEN, Access.INTERNAL)
_UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)")


class Row(NamedTuple):
    """One row as written. `takes` are its fields by name, and `id` for a raw one."""

    frame: Frame
    written: ast.SeedRow
    shape: AggregateShape
    is_raw: bool
    takes: Mapping[str, ParameterShape]


def seeds(frame: Frame, context: ast.Context) -> tuple[ir.Seed, ...]:
    return tuple(_seed(frame, item) for item in context.members if isinstance(item, ast.Seed))


def _seed(frame: Frame, declared: ast.Seed) -> ir.Seed:
    frame.scope.source.use(declared.at, Feature.SEEDS)
    rows = (_row(frame, declared, item) for item in declared.rows)
    return ir.Seed(
        dataset=declared.name or "default", raw=declared.is_raw, rows=tuple(item for item in rows if item is not None)
    )


def _row(frame: Frame, seed: ast.Seed, written: ast.SeedRow) -> ir.SeedRow | None:
    shape = frame.scope.tables.aggregates.get(written.aggregate)
    if shape is None:
        _report_aggregate(frame, written)
        return None
    inner = replace(frame, body=Body.SEED, this=None, aggregate=shape, owner=written.aggregate)
    takes = {item.name: item for item in (_columns(shape) if seed.is_raw else shape.inputs)}
    row = Row(inner, written, shape, seed.is_raw, takes)
    given = _given(row, seed.name)
    values = [_value(row, item, given.get(item.name)) for item in takes.values()]
    made = [item for item in values if item is not None]
    return ir.SeedRow(aggregate=written.aggregate, fields=tuple(made))


def _report_aggregate(frame: Frame, written: ast.SeedRow) -> None:
    names, at = frame.scope.names, frame.at(written.at)
    if owners := names.foreign.get(written.aggregate):
        frame.report(SeedForeignAggregate(at=at, name=written.aggregate, context=owners[0]))
    elif not names.is_unsupported(written.aggregate):
        near = nearest(written.aggregate, frame.scope.tables.aggregates)
        frame.report(LinkingError(at=at, kind="aggregate", name=written.aggregate, nearest=near))


def _columns(shape: AggregateShape) -> Iterator[ParameterShape]:
    """The columns that a raw row gives; those with defaults may be left out."""
    yield ParameterShape("id", IdType(aggregate=shape.ref))
    for item in shape.instance.stored():
        default = item.lowered_default
        if item.type == BOOL and not item.has_default:
            default = Literal(type=BOOL, text="false")
        yield ParameterShape(item.name, item.type, item.default, default)


def _given(row: Row, dataset: str) -> dict[str, ast.FieldValue]:
    """The values by field, each once; what the row does not take is reported."""
    found: dict[str, ast.FieldValue] = {}
    for item in row.written.fields:
        if item.name in found:
            row.frame.report(SeedDuplicateField(at=row.frame.at(item.at), name=item.name))
        elif item.name in row.takes:
            found[item.name] = item
            continue
        elif item.name == "id":
            row.frame.report(SeedIdNeedsRaw(at=row.frame.at(item.at), dataset=dataset or "default"))
        elif not row.shape.instance.is_partial:
            _report_unknown(row, item)
        row.frame.lower(item.value, None)
    return found


def _report_unknown(row: Row, item: ast.FieldValue) -> None:
    member, at = row.shape.instance.members.get(item.name), row.frame.at(item.at)
    name = row.written.aggregate
    if member is not None and (member.access in _SERVER or member.kind is FieldKind.VERSION):
        row.frame.report(CreateServerField(at=at, aggregate=name, name=item.name))
        return
    what = "the table of" if row.is_raw else "the create of"
    near = nearest(item.name, row.takes)
    row.frame.report(SeedUnknownField(at=at, what=what, aggregate=name, name=item.name, nearest=near))


def _value(row: Row, wanted: ParameterShape, given: ast.FieldValue | None) -> FieldValue | None:
    if wanted.type is None:
        return None
    if given is None:
        value = _absent(row, wanted)
    elif row.is_raw and not is_single(wanted.type):
        at = row.frame.at(given.at)
        row.frame.report(SeedRawColumnInvalid(at=at, name=wanted.name, aggregate=row.written.aggregate))
        value = None
    else:
        value = _fitted(row, wanted.name, wanted.type, given)
    return None if value is None else FieldValue(name=wanted.name, value=value)


def _absent(row: Row, wanted: ParameterShape) -> Expr | None:
    """What a field is that the row leaves out. A raw row cannot give what lies in other tables."""
    assert wanted.type is not None
    if wanted.has_default or isinstance(wanted.type, OptionalType):
        return left_out(row.frame, wanted)
    meant = misspelt((item.name for item in row.written.fields), row.takes)
    if wanted.name not in meant and (not row.is_raw or is_single(wanted.type)):
        at = row.frame.at(row.written.at)
        row.frame.report(SeedMissingField(at=at, aggregate=row.written.aggregate, name=wanted.name))
    return None


def _fitted(row: Row, name: str, type_: Type, given: ast.FieldValue) -> Expr | None:
    frame = row.frame
    if isinstance(given.value, ast.StringLiteral) and (text := _text(type_, given.value.value)) is not None:
        return text
    value = frame.lower(given.value, type_)
    if value is None:
        return None
    fit = None if isinstance(given.value, ast.StringLiteral) and _is_spelled(type_) else fitted(value, type_)
    if fit is None:
        frame.report(
            SeedFieldType(
                at=frame.at(given.value.at),
                aggregate=row.written.aggregate,
                name=name,
                expected=show(type_),
                found=_found(given.value, value),
                example=_example(type_),
            )
        )
    elif row.is_raw and not _is_literal(fit):
        return frame.fail(SeedRawNonLiteralColumn(at=frame.at(given.value.at), name=name))
    return fit


def _is_literal(value: Expr) -> bool:
    match value:
        case Literal() | Null() | EnumLiteral() | Now():
            return True
        case Negate(operand=operand) | Convert(operand=operand):
            return _is_literal(operand)
        case _:
            return False


def _is_spelled(type_: Type) -> bool:
    """Whether values are written as text of a form of their own."""
    inner = without_optional(type_)
    return isinstance(inner, IdType) or inner in (DATETIME, GUID)


def _text(type_: Type, text: str) -> Expr | None:
    """A moment, guid or id that is written as text; None for any other text."""
    inner = without_optional(type_)
    if inner == DATETIME and _MOMENT.fullmatch(text):
        return Literal(type=inner, text=text)
    if (isinstance(inner, IdType) or inner == GUID) and _UUID.fullmatch(text):
        return Literal(type=inner, text=text.lower())
    return None


def _found(written: ast.Expression, value: Expr) -> str:
    return f'"{written.value}"' if isinstance(written, ast.StringLiteral) else show(value.type)


def _example(type_: Type) -> str:
    inner = without_optional(type_)
    if inner == DATETIME:
        return 'for example `"2031-03-01T20:00:00Z"`'
    if isinstance(inner, IdType) or inner == GUID:
        return 'for example `"01900000-0000-7000-8000-000000000001"`'
    return f"a value of {show(type_)}"
