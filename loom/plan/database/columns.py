"""Fields as columns: SQL types, value objects spread over columns, and what tells an absent one.

In: properties and the value objects that they name. Out: ColumnPlans and OptionalGroups.
Never: tables or keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loom.ir.program import Property, ValueObject
from loom.ir.types import (
    BOOL,
    AggregateType,
    ArrayType,
    EnumType,
    IdType,
    OptionalType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
)
from loom.plan import names
from loom.plan.storage import ColumnPlan, OptionalGroup

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
    """The columns of some fields, and the optional value objects among them, outer ones first."""

    columns: tuple[ColumnPlan, ...]
    groups: tuple[OptionalGroup, ...]


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


def bare(kind: Type) -> Type:
    """The type without its optional."""
    return kind.of if isinstance(kind, OptionalType) else kind


def stored(kind: Type) -> Type:
    """How a field of this type is kept: an optional collection is an empty one."""
    inner = bare(kind)
    return inner if isinstance(inner, ArrayType) else kind


def has_own_table(kind: Type) -> bool:
    """Collections of value objects and of aggregate ids do not fit into a column."""
    inner = bare(kind)
    if not isinstance(inner, ArrayType):
        return False
    return isinstance(inner.of, ValueObjectType) or (isinstance(inner.of, IdType) and not inner.of.part)


def spread(properties: Iterable[Property], declared: Declared, path: Path = ()) -> Spread:
    """Columns of `properties`, which lie at `path`; all are nullable below an optional value object."""
    columns: list[ColumnPlan] = []
    groups: list[OptionalGroup] = []
    for property_ in properties:
        part = _field((*path, property_.name), stored(property_.type), declared)
        columns += part.columns
        groups += part.groups
    return Spread(tuple(columns), tuple(groups))


def _field(path: Path, kind: Type, declared: Declared) -> Spread:
    inner = bare(kind)
    if not isinstance(inner, ValueObjectType):
        return Spread((_leaf(path, inner, declared, nullable=isinstance(kind, OptionalType)),), ())
    members = declared.value_objects[inner.ref].properties
    inside = spread(members, declared, path)
    return _witnessed(path, members, inside, declared) if isinstance(kind, OptionalType) else inside


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


def _witnessed(path: Path, members: tuple[Property, ...], inside: Spread, declared: Declared) -> Spread:
    """An optional value object: a required member says whether it is there, else a column of its own."""
    witness = _required_leaf(path, members, declared)
    columns = inside.columns
    if not witness:
        witness = names.presence_column(path)
        columns = (ColumnPlan(name=witness, sql_type="BOOLEAN", nullable=False, path=(), type=BOOL), *columns)
    group = OptionalGroup(path=path, witness=witness)
    return Spread(tuple(_optional(column, witness) for column in columns), (group, *inside.groups))


def _optional(column: ColumnPlan, witness: str) -> ColumnPlan:
    """The column where `witness` may be null; one of an optional value object further in stays as it is."""
    if column.witness:
        return column
    return column.model_copy(update={"nullable": True, "witness": witness, "needed": not column.nullable})


def _required_leaf(path: Path, members: tuple[Property, ...], declared: Declared) -> str:
    for member in members:
        kind, below = stored(member.type), (*path, member.name)
        if isinstance(kind, ValueObjectType):
            if found := _required_leaf(below, declared.value_objects[kind.ref].properties, declared):
                return found
        elif not isinstance(kind, OptionalType | AggregateType):
            return names.column(below)
    return ""
