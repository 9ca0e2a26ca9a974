"""How entities lie in PostgreSQL: tables, columns, keys and migrations, as every service must agree on them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from loom.base import Value, closed
from loom.ir.types import Type


class ColumnPlan(Value):
    """`path` is the field it stores, then the value-object members down to the leaf; empty for machinery.

    `type` is the leaf's own type: a Scalar, EnumType, IdType, or an ArrayType of one; never optional.
    `choices` are the values of an enum, which the database checks too. Inside an optional value object, `witness` is
    that of its OptionalGroup, and `needed` says whether there is a value whenever the witness has one.
    """

    name: str
    sql_type: str
    nullable: bool
    path: tuple[str, ...]
    type: Type
    choices: tuple[str, ...] = ()
    witness: str = ""
    needed: bool = False


@closed
class OnDelete(StrEnum):
    CASCADE = "CASCADE"
    RESTRICT = "RESTRICT"


class ForeignKeyPlan(Value):
    """`target_table` is in the same schema; the target column is its `id`.

    A `deferred` key is checked when the transaction commits, so that rows may refer to what is saved after them.
    """

    name: str
    column: str
    target_table: str
    on_delete: OnDelete
    deferred: bool = False


class IndexPlan(Value):
    name: str
    columns: tuple[str, ...]
    unique: bool


class TablePlan(Value):
    schema_name: str
    name: str
    columns: tuple[ColumnPlan, ...]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[ForeignKeyPlan, ...]
    indexes: tuple[IndexPlan, ...]


class OptionalGroup(Value):
    """An optional value object spread over columns: it is null exactly when `witness` is.

    `witness` is a column of a required member, or a BOOLEAN `<field>_present` (with an empty path) of its own.
    """

    path: tuple[str, ...]
    witness: str


@closed
class CollectionKind(StrEnum):
    VALUES = "values"  # value objects, ordered by an ordinal
    REFERENCES = "references"  # ids of another aggregate, ordered by id


class CollectionTable(Value):
    """A child table for a `ValueObject[]` or an `X id[]` field.

    VALUES: columns are the owner, `ordinal`, then the leaves (paths relative to one element).
    REFERENCES: the owner and one id column whose path is empty.
    """

    field: str
    kind: CollectionKind
    table: TablePlan
    owner_column: str
    groups: tuple[OptionalGroup, ...]


class EntityTables(Value):
    """Everything that stores one entity. Order of `table.columns`: id, [owner], fields as declared, version.

    `groups` are the optional value objects of the entity itself. `owner_column` is empty for a root.
    """

    table: TablePlan
    owner_column: str
    groups: tuple[OptionalGroup, ...]
    collections: tuple[CollectionTable, ...]
    parts: tuple[PartTables, ...]


class PartTables(Value):
    """One containment and the tables of its part; rows are ordered by id."""

    containment: str
    part: str
    many: bool
    optional: bool
    tables: EntityTables


def all_tables(tables: EntityTables) -> Iterator[TablePlan]:
    """Every table of an entity, its own first, owners before what they own."""
    yield tables.table
    yield from (collection.table for collection in tables.collections)
    for part in tables.parts:
        yield from all_tables(part.tables)


class MigrationPlan(Value):
    """One file of one context's history; `pending` marks the one that no command has recorded yet.

    `context` is spelt as the folder of the history, which is its name in every service and in its ledger.
    `sql` holds statements separated by a line `--> statement-breakpoint`; `sha256` is that of its bytes.
    """

    context: str
    version: str
    name: str
    sql: str
    sha256: str
    pending: bool
