"""Which changes of tables need a decision: lost data, missing values, renames that may be losses.

In: a Difference. Out: diagnostics at the declarations concerned.
Never: a refusal of what cannot lose anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from loom.base import Diagnostic
from loom.ir.places import Places
from loom.plan.database.backfill import has_literals
from loom.plan.database.ddl import qualified, quoted
from loom.plan.database.difference import Altered, Difference
from loom.plan.database.placed import Placed
from loom.plan.database.problems import (
    MigrationAmbiguousRename,
    MigrationBackfillNeeded,
    MigrationDestructive,
    MigrationUniqueRows,
)
from loom.plan.history import ColumnShape, Rows
from loom.plan.storage import ColumnPlan

Backfill = Callable[[Placed, ColumnShape], str]

# Every value of the first type is one of the second.
WIDENING = frozenset(
    {
        ("INTEGER", "BIGINT"),
        ("INTEGER", "NUMERIC(28,12)"),
        ("INTEGER", "DECIMAL(19,4)"),
        ("DECIMAL(19,4)", "NUMERIC(28,12)"),
        ("UUID", 'TEXT COLLATE "C"'),
    }
)


class Judged(NamedTuple):
    """What the changes of one context are judged by; `allow`: what would be lost may be."""

    context: str
    backfill: Backfill
    places: Places
    allow: bool

    def destructive(
        self, case: Literal["table", "rows", "column", "type", "value", "target"], name: str, *path: str
    ) -> Diagnostic:
        return MigrationDestructive(at=self.places.at(*path), case=case, context=self.context, name=name)


def problems(found: Difference, judged: Judged) -> Iterator[Diagnostic]:
    """Everything that a person has to decide first."""
    for item in found.created:
        if item.rows is Rows.ONE and item.owner in found.known:
            yield _missing_part(item, judged)
    for altered in found.altered:
        if altered.now.rows is Rows.ONE and altered.rows_before is not Rows.ONE:
            yield _missing_part(altered.now, judged)
        yield from _missing_values(altered, judged)
        yield from _shared_keys(altered, judged)
    if not judged.allow:
        yield from _losses(found, judged)


def _missing_part(item: Placed, judged: Judged) -> Diagnostic:
    return MigrationBackfillNeeded(at=judged.places.at(*item.field), case="none", name=".".join(item.field))


def _losses(found: Difference, judged: Judged) -> Iterator[Diagnostic]:
    for table in found.dropped:
        yield judged.destructive("table", table.name)
    for altered in found.altered:
        if altered.rows_before is Rows.ANY and altered.now.rows is not Rows.ANY:
            yield judged.destructive("rows", altered.now.table.name, *altered.now.field)
        yield from _lost_columns(altered, judged)
        yield from _unfit_values(altered, judged)


def _lost_columns(altered: Altered, judged: Judged) -> Iterator[Diagnostic]:
    item, table, renamed = altered.now, altered.now.table.name, _renamed(altered)
    for old in altered.dropped:
        if old.name in renamed:
            new = renamed[old.name]
            yield MigrationAmbiguousRename(
                at=judged.places.at(*_path(item, new)),
                case="filled" if _is_filled(item, new, judged) else _needs(item, new),
                old=f"{table}.{old.name}",
                new=f"{table}.{new.name}",
            )
        else:
            yield judged.destructive("column", f"{table}.{old.name}", *item.path)


def _renamed(altered: Altered) -> dict[str, ColumnShape]:
    """By the name of a column that goes, one of its type that comes: each is the new name of one at most."""
    waiting = list(altered.added)
    found: dict[str, ColumnShape] = {}
    for old in altered.dropped:
        twin = next((new for new in waiting if new.sql_type == old.sql_type), None)
        if twin is not None:
            waiting.remove(twin)
            found[old.name] = twin
    return found


def _unfit_values(altered: Altered, judged: Judged) -> Iterator[Diagnostic]:
    """Columns that stay and may hold what they no longer take."""
    item, table = altered.now, altered.now.table.name
    retyped = [column for was, column in altered.retyped if (was.sql_type, column.sql_type) not in WIDENING]
    narrowed = [column for was, column in altered.rechosen if column.choices and not was.choices]
    for column in dict.fromkeys((*retyped, *narrowed)):
        yield judged.destructive("type", f"{table}.{column.name}", *_path(item, column))
    for column in altered.retargeted:
        if column not in retyped:
            yield judged.destructive("target", f"{table}.{column.name}", *_path(item, column))
    for was, column in altered.rechosen:
        for choice in (choice for choice in was.choices if column.choices and choice not in column.choices):
            yield judged.destructive("value", f"{table}.{column.name}={choice}", *_path(item, column))


def _missing_values(altered: Altered, judged: Judged) -> Iterator[Diagnostic]:
    """Of a field that may be another's new name, that is told first."""
    item = altered.now
    told = () if judged.allow else tuple(_renamed(altered).values())
    demanded = [column for column, _ in altered.demanded if not judged.backfill(item, column)]
    required = [column for column in (*altered.added, *altered.renulled) if not _is_filled(item, column, judged)]
    for column in (*required, *demanded):
        if column not in told:
            name = f"{item.table.name}.{column.name}"
            at = judged.places.at(*_path(item, column))
            yield MigrationBackfillNeeded(at=at, case=_needs(item, column), name=name)


def _shared_keys(altered: Altered, judged: Judged) -> Iterator[Diagnostic]:
    """Unique keys over rows that are there, unless a smaller key or absent values keep them apart."""
    item = altered.now
    absent = {column.name for column in altered.added if column.nullable}
    keys = [set(index.columns) for index in (*altered.lost_indexes, *item.shape.indexes) if index.unique]
    for index in altered.new_indexes:
        columns = set(index.columns)
        is_old = columns in [set(each.columns) for each in altered.lost_indexes if each.unique]
        if index.unique and not is_old and not columns & absent and not any(key < columns for key in keys):
            yield MigrationUniqueRows(
                at=judged.places.at(*item.path),
                context=judged.context,
                columns=", ".join(index.columns),
                table=qualified(item.shape),
                keys=", ".join(map(quoted, index.columns)),
            )


def _is_filled(item: Placed, column: ColumnShape, judged: Judged) -> bool:
    return column.nullable or bool(judged.backfill(item, column))


def _needs(item: Placed, column: ColumnShape) -> Literal["literal", "none"]:
    return "literal" if has_literals(_planned(item, column).type) else "none"


def _path(item: Placed, column: ColumnShape) -> tuple[str, ...]:
    return (*item.path, *_planned(item, column).path[:1])


def _planned(item: Placed, column: ColumnShape) -> ColumnPlan:
    return next(each for each in item.table.columns if each.name == column.name)
