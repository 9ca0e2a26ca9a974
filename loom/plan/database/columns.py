"""Fields as columns: SQL types, value objects spread over columns, and what tells an absent one.

In: properties and the value objects that they name. Out: ColumnPlans and StoredMembers.
Never: tables or keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from loom.ir.program import Property, ValueObject
from loom.ir.types import (
    BOOL,
    ArrayType,
    EnumType,
    IdType,
    OptionalType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
    bare,
)
from loom.plan import names
from loom.plan.storage import ColumnPlan, StoredApart, StoredColumn, StoredGroup, StoredMember

Path = tuple[str, ...]

# Strings sort by code point on every backend, whatever the locale of the database is.
TEXT = 'TEXT COLLATE "C"'
SQL_TYPES: Mapping[ScalarKind, str] = {
    ScalarKind.INT: "INTEGER",
    ScalarKind.LONG: "BIGINT",
    ScalarKind.DECIMAL: "NUMERIC(28,12)",
    ScalarKind.MONEY: "DECIMAL(19,4)",
    ScalarKind.STRING: TEXT,
    ScalarKind.BOOL: "BOOLEAN",
    ScalarKind.DATETIME: "TIMESTAMPTZ(3)",
    ScalarKind.GUID: "UUID",
    ScalarKind.JSON: "JSONB",
}


class Declared(NamedTuple):
    """The declarations that types of fields may name."""

    value_objects: Mapping[Ref, ValueObject]
    enums: Mapping[Ref, tuple[str, ...]]


class Spread(NamedTuple):
    """The columns of some fields, and how the fields lie in them."""

    columns: tuple[ColumnPlan, ...]
    members: tuple[StoredMember, ...]


def sql_type(kind: Type) -> str:
    """The SQL type of a leaf."""
    match kind:
        case Scalar(kind=scalar):
            return SQL_TYPES[scalar]
        case IdType():
            return "UUID"
        case ArrayType(of=element):
            base, _, collation = sql_type(element).partition(" ")
            return f"{base}[] {collation}".rstrip()
        case _:
            return TEXT


def stored(kind: Type) -> Type:
    """How a field of this type is kept: an optional collection is an empty one."""
    inner = bare(kind)
    return inner if isinstance(inner, ArrayType) else kind


def has_own_table(kind: Type) -> bool:
    """Collections of value objects do not fit into a column; those of aggregate ids do, but for fields of entities."""
    inner = bare(kind)
    return _holds_values(inner) or (isinstance(inner, ArrayType) and isinstance(inner.of, IdType) and not inner.of.part)


def _holds_values(kind: Type) -> bool:
    return isinstance(kind, ArrayType) and isinstance(kind.of, ValueObjectType)


def spread(properties: Iterable[Property], declared: Declared, path: Path = ()) -> Spread:
    """Columns of `properties`, which lie at `path`; all are nullable below an optional value object.

    Collections of value objects have none.
    """
    columns: list[ColumnPlan] = []
    members: list[StoredMember] = []
    for property_ in properties:
        part = _field((*path, property_.name), stored(property_.type), declared)
        columns += part.columns
        members += part.members
    return Spread(tuple(columns), tuple(members))


def _field(path: Path, kind: Type, declared: Declared) -> Spread:
    inner, is_optional = bare(kind), isinstance(kind, OptionalType)
    if _holds_values(inner):
        return Spread((), (StoredApart(name=path[-1], path=path, type=kind),))
    if isinstance(inner, ValueObjectType):
        inside = spread(declared.value_objects[inner.ref].properties, declared, path)
        return _optional_group(path, inner.ref, inside) if is_optional else _group(path, inner.ref, inside)
    leaf = _leaf(path, inner, declared, nullable=is_optional)
    return Spread((leaf,), (StoredColumn(name=path[-1], column=leaf.name, type=kind),))


def _leaf(path: Path, kind: Type, declared: Declared, *, nullable: bool) -> ColumnPlan:
    element = kind.of if isinstance(kind, ArrayType) else kind
    return ColumnPlan(
        name=names.column(path),
        sql_type=sql_type(kind),
        nullable=nullable,
        path=path,
        type=kind,
        choices=declared.enums[element.ref] if isinstance(element, EnumType) else (),
    )


def _group(path: Path, ref: Ref, inside: Spread) -> Spread:
    group = StoredGroup(
        name=path[-1],
        ref=ref,
        optional=False,
        witness="",
        is_marked=False,
        needed=tuple(_needed(inside.members)),
        members=inside.members,
    )
    return Spread(inside.columns, (group,))


def _needed(members: Iterable[StoredMember]) -> Iterator[str]:
    """The columns of required members."""
    for member in members:
        match member:
            case StoredColumn(column=column, type=kind) if not isinstance(kind, OptionalType):
                yield column
            case StoredGroup(optional=False, needed=needed):
                yield from needed
            case _:
                pass


def _optional_group(path: Path, ref: Ref, inside: Spread) -> Spread:
    """An optional value object: a required member says whether it is there, else a column of its own."""
    columns, needed = inside.columns, tuple(_needed(inside.members))
    witness = needed[0] if needed else names.presence_column(path)
    if not needed:
        columns = (ColumnPlan(name=witness, sql_type="BOOLEAN", nullable=False, path=(), type=BOOL), *columns)
    group = StoredGroup(
        name=path[-1],
        ref=ref,
        optional=True,
        witness=witness,
        is_marked=not needed,
        needed=needed,
        members=inside.members,
    )
    return Spread(tuple(_nullable(column, witness) for column in columns), (group,))


def _nullable(column: ColumnPlan, witness: str) -> ColumnPlan:
    """The column where `witness` may be null; one of an optional value object further in stays as it is."""
    if column.witness:
        return column
    return column.model_copy(update={"nullable": True, "witness": witness, "needed": not column.nullable})
