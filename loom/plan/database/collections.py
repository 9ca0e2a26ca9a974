"""Collections as tables of their own: value objects in order, what these hold in turn, and ids of aggregates.

In: what a table could not hold, and whose it is. Out: CollectionTables.
Never: tables of entities.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loom.ir.types import INT, ArrayType, IdType, ValueObjectType, bare
from loom.plan import names
from loom.plan.database.columns import Path, spread
from loom.plan.database.keys import (
    Ground,
    Owner,
    local_target,
    owner_column,
    owner_key,
    plain_index,
    reference_columns,
    reference_key,
    references,
    uuid_column,
)
from loom.plan.storage import (
    CollectionKind,
    CollectionTable,
    ColumnPlan,
    ForeignKeyPlan,
    OnDelete,
    StoredApart,
    StoredMember,
    TablePlan,
    all_apart,
)

ORDINAL = "ordinal"


class _Holder(NamedTuple):
    """What a collection belongs to: an entity, or an element in `table`, at `path` below the entity.

    `ordinals` are the columns that lead to the element, outermost first; the last of them is its own place.
    """

    owner: Owner
    table: str
    path: Path
    ordinals: Path


def entity_collections(ground: Ground, owner: Owner, members: Iterable[StoredMember]) -> tuple[CollectionTable, ...]:
    """Everything in the fields of an entity that has a table of its own."""
    return _collections(ground, _Holder(owner, owner.table, (), ()), members)


def _collections(ground: Ground, holder: _Holder, members: Iterable[StoredMember]) -> tuple[CollectionTable, ...]:
    return tuple(_collection(ground, holder, item) for item in all_apart(members))


def _collection(ground: Ground, holder: _Holder, apart: StoredApart) -> CollectionTable:
    match bare(apart.type):
        case ArrayType(of=ValueObjectType() as kind):
            return _values(ground, holder, apart.path, kind)
        case ArrayType(of=IdType() as kind):
            return _ids(ground, holder, apart.path, kind)
    raise AssertionError(f"{apart.name} has no table of its own")


def _table_name(ground: Ground, holder: _Holder, path: Path) -> str:
    return names.child_table(ground.prefix, ground.aggregate.name, (*holder.owner.path, *holder.path, *path))


def _ids(ground: Ground, holder: _Holder, path: Path, kind: IdType) -> CollectionTable:
    name, owned = _table_name(ground, holder, path), owner_column(ground, holder.owner)
    target, local = uuid_column(_target_column(owned.name, kind), kind), local_target(ground, kind)
    key = (reference_key(name, target.name, local, OnDelete.CASCADE),) if local else ()
    return CollectionTable(
        path=path,
        kind=CollectionKind.REFERENCES,
        table=TablePlan(
            schema_name=ground.facts.schema_name,
            name=name,
            columns=(owned, target),
            primary_key=(owned.name, target.name),
            foreign_keys=(owner_key(name, holder.owner), *key),
            indexes=(plain_index(name, (target.name,)),) if local else (),
        ),
        owner_column=owned.name,
        outer_ordinals=(),
        target_column=target.name,
        element=kind,
        members=(),
        collections=(),
    )


def _target_column(owner_column: str, kind: IdType) -> str:
    """An aggregate that refers to its own kind would have two columns of one name."""
    name = names.id_column(kind.aggregate.name)
    return "target_id" if name == owner_column else name


def _values(ground: Ground, holder: _Holder, path: Path, kind: ValueObjectType) -> CollectionTable:
    name, owned = _table_name(ground, holder, path), owner_column(ground, holder.owner)
    ordinals = [_ordinal(column) for column in (*holder.ordinals, ORDINAL)]
    members = ground.declared.value_objects[kind.ref].properties
    fields = spread(members, ground.declared)
    return CollectionTable(
        path=path,
        kind=CollectionKind.VALUES,
        table=TablePlan(
            schema_name=ground.facts.schema_name,
            name=name,
            columns=(owned, *ordinals, *fields.columns),
            primary_key=(owned.name, *[column.name for column in ordinals]),
            foreign_keys=(_holder_key(name, holder), *references(ground, name, fields.columns)),
            indexes=tuple(plain_index(name, (column,)) for column, _ in reference_columns(ground, fields.columns)),
        ),
        owner_column=owned.name,
        outer_ordinals=holder.ordinals,
        target_column="",
        element=kind,
        members=fields.members,
        collections=_collections(ground, _element(holder, name, path), fields.members),
    )


def _element(holder: _Holder, table: str, path: Path) -> _Holder:
    """One element of the collection at `path`, as what it holds sees it."""
    below = (*holder.path, *path)
    return _Holder(holder.owner, table, below, (*holder.ordinals, names.ordinal_column(below)))


def _ordinal(name: str) -> ColumnPlan:
    return ColumnPlan(name=name, sql_type="INTEGER", nullable=False, path=(), type=INT)


def _holder_key(table: str, holder: _Holder) -> ForeignKeyPlan:
    """The key to the holder's row; an element has its own place in a column of another name."""
    referred = (*holder.ordinals[:-1], ORDINAL)[: len(holder.ordinals)]
    ordinals = tuple(zip(holder.ordinals, referred, strict=True))
    return owner_key(table, holder.owner._replace(table=holder.table), ordinals)
