"""Tables joined with the declarations that they store.

In: an aggregate and its EntityTables. Out: Placed, one a table.
Never: SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loom.ir.places import DeclarationPath
from loom.ir.program import Aggregate, Property
from loom.ir.types import BOOL, ValueObjectType
from loom.plan.database.columns import Declared
from loom.plan.history import Rows, TableShape, part_rows, table_shape
from loom.plan.storage import CollectionTable, EntityTables, TablePlan
from loom.plan.wire.inputs import FALSE


class Placed(NamedTuple):
    """`properties` are those whose columns the table has.

    Of a part, `field` is where it is contained, and `rows` how many of it an owner has.
    """

    table: TablePlan
    path: DeclarationPath
    properties: tuple[Property, ...]
    owner: str = ""
    field: DeclarationPath = ()
    rows: Rows = Rows.ANY

    @property
    def shape(self) -> TableShape:
        return table_shape(self.table, self.rows)


def placed(aggregate: Aggregate, tables: EntityTables, declared: Declared) -> Iterator[Placed]:
    """Every table of `aggregate`, its own first."""
    root = Placed(tables.table, (aggregate.name,), _as_created(aggregate.properties))
    yield from _entity(aggregate, tables, root, declared)


def _entity(aggregate: Aggregate, tables: EntityTables, here: Placed, declared: Declared) -> Iterator[Placed]:
    yield here
    yield from _collections(tables.collections, here, declared)
    for item in tables.parts:
        part = next(part for part in aggregate.parts if part.name == item.part)
        inner = Placed(
            item.tables.table,
            (aggregate.name, part.name),
            _as_created(part.properties),
            here.table.name,
            (*here.path, item.containment),
            part_rows(item),
        )
        yield from _entity(aggregate, item.tables, inner, declared)


def _as_created(properties: tuple[Property, ...]) -> tuple[Property, ...]:
    """A flag of which nothing is said is false in a new entity, and so in one that is stored already."""
    return tuple(
        item.model_copy(update={"default": FALSE}) if item.type == BOOL and item.default is None else item
        for item in properties
    )


def _collections(collections: Iterable[CollectionTable], here: Placed, declared: Declared) -> Iterator[Placed]:
    for item in collections:
        kind = item.element
        members = declared.value_objects[kind.ref].properties if isinstance(kind, ValueObjectType) else ()
        inner = Placed(item.table, (*here.path, *item.path), members, here.table.name)
        yield inner
        yield from _collections(item.collections, inner, declared)
