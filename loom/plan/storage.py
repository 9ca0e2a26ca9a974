"""How entities lie in PostgreSQL: tables, columns, keys and migrations, as every service must agree on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from loom.base import Value
from loom.ir.types import IdType, Ref, Type, ValueObjectType


class ColumnPlan(Value):
    """`path` is the field it stores, then the value-object members down to the leaf; empty for machinery.

    `type` is the leaf's own type: a Scalar, EnumType, IdType, or an ArrayType of one; never optional.
    `choices` are the values of an enum, which the database checks too. Inside an optional value object, `witness` is
    that of its StoredGroup, and `needed` says whether there is a value whenever the witness has one.
    """

    name: str
    sql_type: str
    nullable: bool
    path: tuple[str, ...]
    type: Type
    choices: tuple[str, ...] = ()
    witness: str = ""
    needed: bool = False


class OnDelete(StrEnum):
    CASCADE = "CASCADE"
    RESTRICT = "RESTRICT"


class ForeignKeyPlan(Value):
    """`target_table` is in the same schema; the target column is its `id`.

    A `deferred` key is checked when the transaction commits, so that rows may refer to what is saved after them.
    What belongs to an element of a collection names it by the column of the owner, which both tables call alike, and
    by `ordinals`, each with the column that it refers to.
    """

    name: str
    column: str
    target_table: str
    on_delete: OnDelete
    deferred: bool = False
    ordinals: tuple[tuple[str, str], ...] = ()


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


class StoredColumn(Value):
    """A member in a column of its own; it is null where the `type` is optional and nothing is there."""

    name: str
    column: str
    type: Type


class StoredGroup(Value):
    """A value object spread over columns, those of its members in turn.

    An optional one is null exactly when `witness` is: a column of a required member, or, if `is_marked`, a BOOLEAN
    `<field>_present` before the others, which is true wherever the value is there. `needed` are the columns of all
    required members, however deep: they are null together.
    """

    name: str
    ref: Ref
    optional: bool
    witness: str
    is_marked: bool
    needed: tuple[str, ...]
    members: tuple[StoredMember, ...]


class StoredApart(Value):
    """A collection with a table of its own, at `path` below the entity or the element that owns it."""

    name: str
    path: tuple[str, ...]
    type: Type


StoredMember = StoredColumn | StoredGroup | StoredApart
"""How a row becomes an instance, and an instance a row: one for each field, as declared."""


class CollectionKind(StrEnum):
    VALUES = "values"  # value objects, ordered by an ordinal
    REFERENCES = "references"  # ids of another aggregate, ordered by id


class CollectionTable(Value):
    """A child table for a `ValueObject[]` or an `X id[]` at `path` below its owner, which is an entity or an element.

    VALUES: columns are `owner_column`, the id of the entity; `outer_ordinals`, the places of the elements around it,
    outermost first; `ordinal`, then the leaves (paths relative to one element). `members` are its fields, and
    `collections` what they hold in tables of their own.
    REFERENCES: the owner and `target_column`, the id, whose path is empty. `element` is what one row holds.
    """

    path: tuple[str, ...]
    kind: CollectionKind
    table: TablePlan
    owner_column: str
    outer_ordinals: tuple[str, ...]
    target_column: str
    element: ValueObjectType | IdType
    members: tuple[StoredMember, ...]
    collections: tuple[CollectionTable, ...]


class EntityTables(Value):
    """Everything that stores one entity. Order of `table.columns`: id, [owner], fields as declared, version.

    `members` are the fields of the entity itself. `owner_column` is empty for a root.
    """

    table: TablePlan
    owner_column: str
    members: tuple[StoredMember, ...]
    collections: tuple[CollectionTable, ...]
    parts: tuple[PartTables, ...]

    def column(self, path: tuple[str, ...]) -> str:
        """The column of a leaf, or that of an optional value object which tells whether it is there."""
        return column_at(self.members, path)

    def collection(self, field: str) -> CollectionTable:
        return next(item for item in self.collections if item.path == (field,))


class PartTables(Value):
    """One containment and the tables of its part; rows are ordered by id."""

    containment: str
    part: str
    many: bool
    optional: bool
    tables: EntityTables


def column_at(members: tuple[StoredMember, ...], path: tuple[str, ...]) -> str:
    found = next(item for item in members if item.name == path[0])
    match found:
        case StoredColumn(column=column):
            return column
        case StoredGroup(members=inner, witness=witness):
            return column_at(inner, path[1:]) if path[1:] else witness
        case StoredApart(name=name):
            raise KeyError(f"{name} has a table of its own")


def all_tables(tables: EntityTables) -> Iterator[TablePlan]:
    """Every table of an entity, its own first, owners before what they own."""
    yield tables.table
    yield from (collection.table for collection in all_collections(tables.collections))
    for part in tables.parts:
        yield from all_tables(part.tables)


def all_collections(collections: Iterable[CollectionTable]) -> Iterator[CollectionTable]:
    """These and what their elements hold, outer ones first."""
    for collection in collections:
        yield collection
        yield from all_collections(collection.collections)


def all_apart(members: Iterable[StoredMember]) -> Iterator[StoredApart]:
    """What has a table of its own among `members` and in the value objects between them, as declared."""
    for item in members:
        if isinstance(item, StoredApart):
            yield item
        elif isinstance(item, StoredGroup):
            yield from all_apart(item.members)


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
