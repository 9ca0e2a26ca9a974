"""Tables joined with the declarations that they store.

In: an aggregate and its EntityTables. Out: Placed, one a table.
Never: SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loom.ir.places import DeclarationPath
from loom.ir.program import Aggregate, Property
from loom.plan.storage import EntityTables, TablePlan


class Placed(NamedTuple):
    """`properties` are those whose columns the table has; `is_required` of the row of a single part."""

    table: TablePlan
    path: DeclarationPath
    properties: tuple[Property, ...]
    owner: str = ""
    is_required: bool = False


def placed(aggregate: Aggregate, tables: EntityTables) -> Iterator[Placed]:
    """Every table of `aggregate`, its own first."""
    root = Placed(tables.table, (aggregate.name,), aggregate.properties)
    yield from _entity(aggregate, tables, root)


def _entity(aggregate: Aggregate, tables: EntityTables, here: Placed) -> Iterator[Placed]:
    yield here
    for collection in tables.collections:
        yield Placed(collection.table, (*here.path, collection.field), (), here.table.name)
    for item in tables.parts:
        part = next(part for part in aggregate.parts if part.name == item.part)
        required = not (item.many or item.optional)
        inner = Placed(item.tables.table, (aggregate.name, part.name), part.properties, here.table.name, required)
        yield from _entity(aggregate, item.tables, inner)
