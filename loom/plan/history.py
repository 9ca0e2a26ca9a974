"""What has been recorded of a context's database: the files, and the tables that they lead to.

In: nothing (types), or planned tables. Out: values that `plan` compares the model with.
Never: what only a service needs to know of a column (paths, types), so that old records stay readable.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from loom.base import Value
from loom.plan.model import ContextPlan
from loom.plan.storage import (
    ColumnPlan,
    EntityTables,
    ForeignKeyPlan,
    IndexPlan,
    PartTables,
    TablePlan,
    all_collections,
)


class ColumnShape(Value):
    """As in a ColumnPlan."""

    name: str
    sql_type: str
    nullable: bool
    choices: tuple[str, ...] = ()
    witness: str = ""
    needed: bool = False


class Rows(StrEnum):
    """How many rows of a table there are for one owner."""

    ANY = "any"
    OPTIONAL = "optional"
    ONE = "one"


class TableShape(Value):
    schema_name: str
    name: str
    columns: tuple[ColumnShape, ...]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[ForeignKeyPlan, ...]
    indexes: tuple[IndexPlan, ...]
    rows: Rows = Rows.ANY


class RecordedMigration(Value):
    """One file that no command may change any more."""

    version: str
    name: str
    sql: str


class History(Value):
    """The recorded files of one context, oldest first, and the tables as of the last one.

    The rest is what a person said of the next file: `may_lose_data`, it may drop what holds data; `is_closed`, there
    must be none.
    """

    migrations: tuple[RecordedMigration, ...] = ()
    tables: tuple[TableShape, ...] = ()
    may_lose_data: bool = False
    is_closed: bool = False


class KeptTables(Value):
    """One recorded history by its folder, `<system>/<context>`, and the tables that it leads to."""

    folder: str
    tables: tuple[str, ...]


class Recorded(Value):
    """Histories that lead to tables; the rest is as in a `History`."""

    histories: tuple[KeptTables, ...] = ()
    may_lose_data: bool = False
    is_closed: bool = False


def table_shapes(context: ContextPlan) -> tuple[TableShape, ...]:
    """The tables that the model wants, sorted by name."""
    tables = [shape for aggregate in context.aggregates for shape in _tables(aggregate.tables, Rows.ANY)]
    return tuple(sorted(tables, key=lambda table: (table.schema_name, table.name)))


def part_rows(part: PartTables) -> Rows:
    """How many parts one owner has."""
    if part.many:
        return Rows.ANY
    return Rows.OPTIONAL if part.optional else Rows.ONE


def table_shape(table: TablePlan, rows: Rows) -> TableShape:
    """What the database knows of a planned table."""
    return TableShape(
        schema_name=table.schema_name,
        name=table.name,
        columns=tuple(map(_column_shape, table.columns)),
        primary_key=table.primary_key,
        foreign_keys=table.foreign_keys,
        indexes=table.indexes,
        rows=rows,
    )


def _column_shape(column: ColumnPlan) -> ColumnShape:
    return ColumnShape(
        name=column.name,
        sql_type=column.sql_type,
        nullable=column.nullable,
        choices=column.choices,
        witness=column.witness,
        needed=column.needed,
    )


def _tables(entity: EntityTables, rows: Rows) -> Iterator[TableShape]:
    yield table_shape(entity.table, rows)
    yield from (table_shape(collection.table, Rows.ANY) for collection in all_collections(entity.collections))
    for part in entity.parts:
        yield from _tables(part.tables, part_rows(part))
