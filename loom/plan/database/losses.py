"""Which changes of tables need a decision: lost data, missing values, renames that may be losses.

In: a Difference. Out: diagnostics at the declarations concerned.
Never: a refusal of what cannot lose anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from loom.base import Diagnostic
from loom.ir.places import Places
from loom.plan.database.difference import Altered, Difference
from loom.plan.database.placed import Placed
from loom.plan.database.problems import MigrationAmbiguousRename, MigrationBackfillNeeded, MigrationDestructive
from loom.plan.history import ColumnShape

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


def problems(
    context: str, found: Difference, backfill: Backfill, places: Places, *, allow: bool
) -> Iterator[Diagnostic]:
    """`allow`: what would be lost may be."""
    for item in found.created:
        if item.is_required and item.owner in found.known:
            yield MigrationBackfillNeeded(at=places.at(*item.path), name=".".join(item.path))
    for altered in found.altered:
        yield from _missing_values(altered, backfill, places)
    if not allow:
        yield from _losses(context, found, places)


def _losses(context: str, found: Difference, places: Places) -> Iterator[Diagnostic]:
    for table in found.dropped:
        yield _destructive("table", context, table.name, places)
    for altered in found.altered:
        yield from _lost_columns(context, altered, places)


def _destructive(
    case: Literal["table", "column", "type", "value"], context: str, name: str, places: Places, *path: str
) -> Diagnostic:
    return MigrationDestructive(at=places.at(*path), case=case, context=context, name=name)


def _lost_columns(context: str, altered: Altered, places: Places) -> Iterator[Diagnostic]:
    item, table = altered.now, altered.now.table.name
    for old in altered.dropped:
        twins = [new for new in altered.added if new.sql_type == old.sql_type]
        if twins:
            at = places.at(*item.path)
            yield MigrationAmbiguousRename(at=at, old=f"{table}.{old.name}", new=f"{table}.{twins[0].name}")
        else:
            yield _destructive("column", context, f"{table}.{old.name}", places, *item.path)
    for was, column in altered.retyped:
        if (was.sql_type, column.sql_type) not in WIDENING:
            yield _destructive("type", context, f"{table}.{column.name}", places, *_path(item, column))
    for was, column in altered.rechosen:
        for choice in (choice for choice in was.choices if column.choices and choice not in column.choices):
            yield _destructive("value", context, f"{table}.{column.name}={choice}", places, *_path(item, column))


def _missing_values(altered: Altered, backfill: Backfill, places: Places) -> Iterator[Diagnostic]:
    item = altered.now
    for column in (*altered.added, *altered.renulled):
        if not column.nullable and not backfill(item, column):
            name = f"{item.table.name}.{column.name}"
            yield MigrationBackfillNeeded(at=places.at(*_path(item, column)), name=name)


def _path(item: Placed, column: ColumnShape) -> tuple[str, ...]:
    planned = next(each for each in item.table.columns if each.name == column.name)
    return (*item.path, *planned.path[:1])
