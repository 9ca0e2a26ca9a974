"""What changed between recorded tables and planned ones, as data.

In: shapes of tables before, placed tables now. Out: Difference.
Never: SQL, or a judgement of what a change means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from loom.plan.database.placed import Placed
from loom.plan.history import ColumnShape, Rows, TableShape
from loom.plan.storage import ForeignKeyPlan, IndexPlan


class Altered(NamedTuple):
    """A table that stays; columns that stay are named as they are now, and as they were where that matters.

    `renulled` are also the columns that an optional value object needed: the record has to say that it no longer does.
    `retargeted` are those that stay and refer to a table that they did not refer to. `demanded` are those that an
    optional value object did not need and now does, each with the column that is not null where one is stored (empty:
    everywhere).
    """

    now: Placed
    rows_before: Rows
    added: tuple[ColumnShape, ...]
    dropped: tuple[ColumnShape, ...]
    retyped: tuple[tuple[ColumnShape, ColumnShape], ...]
    renulled: tuple[ColumnShape, ...]
    rechosen: tuple[tuple[ColumnShape, ColumnShape], ...]
    retargeted: tuple[ColumnShape, ...]
    demanded: tuple[tuple[ColumnShape, str], ...]
    lost_keys: tuple[ForeignKeyPlan, ...]
    new_keys: tuple[ForeignKeyPlan, ...]
    lost_indexes: tuple[IndexPlan, ...]
    new_indexes: tuple[IndexPlan, ...]


class Difference(NamedTuple):
    """`known` are the names of the tables before."""

    known: frozenset[str]
    created: tuple[Placed, ...]
    dropped: tuple[TableShape, ...]
    altered: tuple[Altered, ...]


def difference(before: Iterable[TableShape], now: Iterable[Placed]) -> Difference:
    """Tables are the same when schema and name are, and what identifies a row."""
    old = {(table.schema_name, table.name, table.primary_key): table for table in before}
    new = {(item.table.schema_name, item.table.name, item.table.primary_key): item for item in now}
    both = [(old[key], new[key]) for key in sorted(old.keys() & new.keys())]
    return Difference(
        known=frozenset(name for _, name, _ in old),
        created=tuple(new[key] for key in sorted(new.keys() - old.keys())),
        dropped=tuple(old[key] for key in sorted(old.keys() - new.keys())),
        altered=tuple(_altered(table, item) for table, item in both if table != item.shape),
    )


def _altered(table: TableShape, item: Placed) -> Altered:
    now = item.shape
    old = {column.name: column for column in table.columns}
    new = {column.name: column for column in now.columns}
    kept = [(old[name], new[name]) for name in new if name in old]
    return Altered(
        now=item,
        rows_before=table.rows,
        added=tuple(column for column in now.columns if column.name not in old),
        dropped=tuple(column for column in table.columns if column.name not in new),
        retyped=tuple((was, be) for was, be in kept if was.sql_type != be.sql_type),
        renulled=tuple(be for was, be in kept if was.nullable != be.nullable or (was.needed and not be.needed)),
        rechosen=tuple((was, be) for was, be in kept if was.choices != be.choices),
        demanded=tuple(_demanded(old, now)),
        retargeted=tuple(be for _, be in kept if _targets(now, be) - _targets(table, be)),
        lost_keys=tuple(key for key in table.foreign_keys if key not in now.foreign_keys),
        new_keys=tuple(key for key in now.foreign_keys if key not in table.foreign_keys),
        lost_indexes=tuple(index for index in table.indexes if index not in now.indexes),
        new_indexes=tuple(index for index in now.indexes if index not in table.indexes),
    )


def _demanded(old: Mapping[str, ColumnShape], now: TableShape) -> Iterator[tuple[ColumnShape, str]]:
    for column in now.columns:
        was = old.get(column.name)
        had_values = was is not None and (was.needed or not was.nullable)
        beside = [old[other.name] for other in now.columns if other.witness == column.witness and other.name in old]
        if column.needed and beside and not had_values:
            yield column, beside[0].witness


def _targets(table: TableShape, column: ColumnShape) -> set[str]:
    return {key.target_table for key in table.foreign_keys if key.column == column.name}
