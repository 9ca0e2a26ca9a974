"""Keys of tables: whose rows they hold, what their rows refer to, and the indexes for it.

In: properties of an entity or of an element, and who owns it. Out: key columns, foreign keys, plain indexes.
Never: whole tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loom.ir.program import Aggregate
from loom.ir.types import IdType, Ref
from loom.plan import names
from loom.plan.database.columns import Declared, Path
from loom.plan.facts import ContextFacts
from loom.plan.storage import ColumnPlan, ForeignKeyPlan, IndexPlan, OnDelete

Ordinals = tuple[tuple[str, str], ...]


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


def uuid_column(name: str, kind: IdType) -> ColumnPlan:
    return ColumnPlan(name=name, sql_type="UUID", nullable=False, path=(), type=kind)


def owner_column(ground: Ground, owner: Owner) -> ColumnPlan:
    part = owner.entity if owner.path else ""
    own = Ref(context=ground.context, name=ground.aggregate.name)
    return uuid_column(names.id_column(owner.entity), IdType(aggregate=own, part=part))


def owner_key(table: str, owner: Owner, ordinals: Ordinals = ()) -> ForeignKeyPlan:
    """The key to the row of an entity, or of an element of its collections, as a ForeignKeyPlan tells them apart."""
    column = names.id_column(owner.entity)
    return ForeignKeyPlan(
        name=names.foreign_key(table, column),
        column=column,
        target_table=owner.table,
        on_delete=OnDelete.CASCADE,
        ordinals=ordinals,
    )


def reference_key(table: str, column: str, target: str, on_delete: OnDelete) -> ForeignKeyPlan:
    """Deferred: aggregates that one transaction makes may refer to one another, in whichever order they are saved."""
    name = names.foreign_key(table, column)
    return ForeignKeyPlan(name=name, column=column, target_table=target, on_delete=on_delete, deferred=True)


def local_target(ground: Ground, kind: IdType) -> str:
    """The table of an aggregate of this context, or nothing: other contexts may lie in other databases."""
    if kind.part or kind.aggregate.context != ground.context:
        return ""
    return names.root_table(ground.prefix, kind.aggregate.name)


def reference_columns(ground: Ground, columns: Iterable[ColumnPlan]) -> Iterator[tuple[str, str]]:
    """(column, target table) of every id of this context, also inside value objects."""
    for column in columns:
        if isinstance(column.type, IdType) and (target := local_target(ground, column.type)):
            yield column.name, target


def references(ground: Ground, table: str, columns: Iterable[ColumnPlan]) -> tuple[ForeignKeyPlan, ...]:
    return tuple(
        reference_key(table, column, target, OnDelete.RESTRICT) for column, target in reference_columns(ground, columns)
    )


def plain_index(table: str, columns: Path) -> IndexPlan:
    return IndexPlan(name=names.index(table, columns), columns=columns, unique=False)
