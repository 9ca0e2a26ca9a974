"""Aggregates as tables: parts and collections in tables of their own, with keys and indexes.

In: one context of the program and how its state resource names things. Out: EntityTables.
Never: SQL text, or what a program does with the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loom.ir.program import Aggregate, Containment, Part, Property
from loom.ir.types import INT, ArrayType, IdType, Ref, ValueObjectType, bare
from loom.plan import names
from loom.plan.database.columns import Declared, Path, Spread, has_own_table, spread, stored
from loom.plan.facts import ContextFacts
from loom.plan.storage import (
    CollectionKind,
    CollectionTable,
    ColumnPlan,
    EntityTables,
    ForeignKeyPlan,
    IndexPlan,
    OnDelete,
    PartTables,
    StoredApart,
    StoredMember,
    TablePlan,
)


class Ground(NamedTuple):
    """What all tables of one aggregate are made with."""

    context: str
    facts: ContextFacts
    declared: Declared
    aggregate: Aggregate

    @property
    def prefix(self) -> str:
        return self.facts.table_prefix


class Owner(NamedTuple):
    """The entity that a child table belongs to: its name and table, and its place below the root."""

    entity: str
    table: str
    path: Path


def entity_tables(ground: Ground) -> EntityTables:
    """Everything that stores `ground.aggregate`."""
    aggregate = ground.aggregate
    table = names.root_table(ground.prefix, aggregate.name)
    version = ColumnPlan(name="version", sql_type="INTEGER", nullable=False, path=(), type=INT)
    return _entity(ground, aggregate, Owner(aggregate.name, table, ()), None, (version,))


def _entity(
    ground: Ground, entity: Aggregate | Part, here: Owner, parent: Owner | None, tail: tuple[ColumnPlan, ...]
) -> EntityTables:
    own = Ref(context=ground.context, name=ground.aggregate.name)
    part = entity.name if isinstance(entity, Part) else ""
    owner = (_owner_column(ground, parent),) if parent else ()
    inline = tuple(item for item in entity.properties if not has_own_table(item.type))
    fields = spread(inline, ground.declared)
    table = TablePlan(
        schema_name=ground.facts.schema_name,
        name=here.table,
        columns=(_uuid("id", IdType(aggregate=own, part=part)), *owner, *fields.columns, *tail),
        primary_key=("id",),
        foreign_keys=(*_owner_key(here.table, parent), *_references(ground, here.table, inline)),
        indexes=_indexes(ground, entity, inline, here.table, parent),
    )
    return EntityTables(
        table=table,
        owner_column=owner[0].name if owner else "",
        members=_members(entity, fields),
        collections=tuple(_collection(ground, here, item) for item in entity.properties if has_own_table(item.type)),
        parts=tuple(_part(ground, here, item) for item in entity.containments),
    )


def _members(entity: Aggregate | Part, fields: Spread) -> tuple[StoredMember, ...]:
    inline: dict[str, StoredMember] = {item.name: item for item in fields.members}
    return tuple(
        inline.get(item.name) or StoredApart(name=item.name, type=stored(item.type)) for item in entity.properties
    )


def _part(ground: Ground, parent: Owner, containment: Containment) -> PartTables:
    part = next(part for part in ground.aggregate.parts if part.name == containment.part)
    path = (*parent.path, containment.name)
    here = Owner(part.name, names.child_table(ground.prefix, ground.aggregate.name, path), path)
    return PartTables(
        containment=containment.name,
        part=part.name,
        many=containment.many,
        optional=containment.optional,
        tables=_entity(ground, part, here, parent, ()),
    )


def _uuid(name: str, kind: IdType) -> ColumnPlan:
    return ColumnPlan(name=name, sql_type="UUID", nullable=False, path=(), type=kind)


def _owner_column(ground: Ground, owner: Owner) -> ColumnPlan:
    part = owner.entity if owner.path else ""
    own = Ref(context=ground.context, name=ground.aggregate.name)
    return _uuid(names.id_column(owner.entity), IdType(aggregate=own, part=part))


def _owner_key(table: str, owner: Owner | None) -> tuple[ForeignKeyPlan, ...]:
    if owner is None:
        return ()
    column = names.id_column(owner.entity)
    name = names.foreign_key(table, column)
    return (ForeignKeyPlan(name=name, column=column, target_table=owner.table, on_delete=OnDelete.CASCADE),)


def _reference_key(table: str, column: str, target: str, on_delete: OnDelete) -> ForeignKeyPlan:
    """Deferred: aggregates that one transaction makes may refer to one another, in whichever order they are saved."""
    name = names.foreign_key(table, column)
    return ForeignKeyPlan(name=name, column=column, target_table=target, on_delete=on_delete, deferred=True)


def _local_target(ground: Ground, kind: IdType) -> str:
    """The table of an aggregate of this context, or nothing: other contexts may lie in other databases."""
    if kind.part or kind.aggregate.context != ground.context:
        return ""
    return names.root_table(ground.prefix, kind.aggregate.name)


def _reference_columns(ground: Ground, properties: tuple[Property, ...]) -> Iterator[tuple[str, str]]:
    """(column, target table) of every id of this context, also inside value objects."""
    for column in spread(properties, ground.declared).columns:
        if isinstance(column.type, IdType) and (target := _local_target(ground, column.type)):
            yield column.name, target


def _references(ground: Ground, table: str, properties: tuple[Property, ...]) -> tuple[ForeignKeyPlan, ...]:
    return tuple(
        _reference_key(table, column, target, OnDelete.RESTRICT)
        for column, target in _reference_columns(ground, properties)
    )


def _indexes(
    ground: Ground, entity: Aggregate | Part, inline: tuple[Property, ...], table: str, parent: Owner | None
) -> tuple[IndexPlan, ...]:
    """Owner, references, what the resource asks for, then unique keys; one name is made once."""
    asked: list[Path] = [(names.id_column(parent.entity),)] if parent else []
    asked += [(column,) for column, _ in _reference_columns(ground, inline)]
    asked += [
        tuple(names.column(field.split(".")) for field in fields)
        for name, fields in ground.facts.indexes
        if name == entity.name
    ]
    plain = [_plain(table, columns) for columns in asked]
    uniques = [_unique(table, key) for key in entity.uniques] if isinstance(entity, Aggregate) else []
    return tuple({index.name: index for index in (*plain, *uniques)}.values())


def _plain(table: str, columns: Path) -> IndexPlan:
    return IndexPlan(name=names.index(table, columns), columns=columns, unique=False)


def _unique(table: str, key: tuple[str, ...]) -> IndexPlan:
    columns = tuple(names.column((field,)) for field in key)
    return IndexPlan(name=names.unique_index(table, columns), columns=columns, unique=True)


def _collection(ground: Ground, owner: Owner, property_: Property) -> CollectionTable:
    table = names.child_table(ground.prefix, ground.aggregate.name, (*owner.path, property_.name))
    match bare(property_.type):
        case ArrayType(of=ValueObjectType() as kind):
            return _values(ground, owner, property_.name, table, kind)
        case ArrayType(of=IdType() as kind):
            return _reference_table(ground, owner, property_.name, table, kind)
    raise AssertionError(f"{property_.name} has no table of its own")


def _reference_table(ground: Ground, owner: Owner, field: str, table: str, kind: IdType) -> CollectionTable:
    owned = _owner_column(ground, owner)
    target, local = _uuid(_target_column(owned.name, kind), kind), _local_target(ground, kind)
    key = (_reference_key(table, target.name, local, OnDelete.CASCADE),) if local else ()
    return CollectionTable(
        field=field,
        kind=CollectionKind.REFERENCES,
        table=TablePlan(
            schema_name=ground.facts.schema_name,
            name=table,
            columns=(owned, target),
            primary_key=(owned.name, target.name),
            foreign_keys=(*_owner_key(table, owner), *key),
            indexes=(_plain(table, (target.name,)),) if local else (),
        ),
        owner_column=owned.name,
        target_column=target.name,
        element=kind,
        members=(),
    )


def _target_column(owner_column: str, kind: IdType) -> str:
    """An aggregate that refers to its own kind would have two columns of one name."""
    name = names.id_column(kind.aggregate.name)
    return "target_id" if name == owner_column else name


def _values(ground: Ground, owner: Owner, field: str, table: str, kind: ValueObjectType) -> CollectionTable:
    owned = _owner_column(ground, owner)
    ordinal = ColumnPlan(name="ordinal", sql_type="INTEGER", nullable=False, path=(), type=INT)
    members = ground.declared.value_objects[kind.ref].properties
    fields = spread(members, ground.declared)
    return CollectionTable(
        field=field,
        kind=CollectionKind.VALUES,
        table=TablePlan(
            schema_name=ground.facts.schema_name,
            name=table,
            columns=(owned, ordinal, *fields.columns),
            primary_key=(owned.name, ordinal.name),
            foreign_keys=(*_owner_key(table, owner), *_references(ground, table, members)),
            indexes=tuple(_plain(table, (column,)) for column, _ in _reference_columns(ground, members)),
        ),
        owner_column=owned.name,
        target_column="",
        element=kind,
        members=fields.members,
    )
