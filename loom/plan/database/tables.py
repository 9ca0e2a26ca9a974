"""Aggregates as tables: parts and collections in tables of their own, with keys and indexes.

In: one context of the program and how its state resource names things. Out: EntityTables.
Never: SQL text, or what a program does with the rows.
"""

from __future__ import annotations

from loom.ir.program import Aggregate, Containment, Part
from loom.ir.types import INT, IdType, Ref
from loom.plan import names
from loom.plan.database.collections import entity_collections
from loom.plan.database.columns import Path, Spread, has_own_table, spread, stored
from loom.plan.database.keys import (
    Ground,
    Owner,
    owner_column,
    owner_key,
    plain_index,
    reference_columns,
    references,
    uuid_column,
)
from loom.plan.storage import ColumnPlan, EntityTables, IndexPlan, PartTables, StoredApart, StoredMember, TablePlan


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
    owner = (owner_column(ground, parent),) if parent else ()
    parent_key = (owner_key(here.table, parent),) if parent else ()
    inline = tuple(item for item in entity.properties if not has_own_table(item.type))
    fields = spread(inline, ground.declared)
    table = TablePlan(
        schema_name=ground.facts.schema_name,
        name=here.table,
        columns=(uuid_column("id", IdType(aggregate=own, part=part)), *owner, *fields.columns, *tail),
        primary_key=("id",),
        foreign_keys=(*parent_key, *references(ground, here.table, fields.columns)),
        indexes=_indexes(ground, entity, fields, here.table, parent),
    )
    members = _members(entity, fields)
    return EntityTables(
        table=table,
        owner_column=owner[0].name if owner else "",
        members=members,
        collections=entity_collections(ground, here, members),
        parts=tuple(_part(ground, here, item) for item in entity.containments),
    )


def _members(entity: Aggregate | Part, fields: Spread) -> tuple[StoredMember, ...]:
    inline: dict[str, StoredMember] = {item.name: item for item in fields.members}
    return tuple(
        inline.get(item.name) or StoredApart(name=item.name, path=(item.name,), type=stored(item.type))
        for item in entity.properties
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


def _indexes(
    ground: Ground, entity: Aggregate | Part, fields: Spread, table: str, parent: Owner | None
) -> tuple[IndexPlan, ...]:
    """Owner, references, what the resource asks for, then unique keys; one name is made once."""
    asked: list[Path] = [(names.id_column(parent.entity),)] if parent else []
    asked += [(column,) for column, _ in reference_columns(ground, fields.columns)]
    asked += [
        tuple(names.column(field.split(".")) for field in fields)
        for name, fields in ground.facts.indexes
        if name == entity.name
    ]
    plain = [plain_index(table, columns) for columns in asked]
    uniques = [_unique(table, key) for key in entity.uniques] if isinstance(entity, Aggregate) else []
    return tuple({index.name: index for index in (*plain, *uniques)}.values())


def _unique(table: str, key: tuple[str, ...]) -> IndexPlan:
    columns = tuple(names.column((field,)) for field in key)
    return IndexPlan(name=names.unique_index(table, columns), columns=columns, unique=True)
