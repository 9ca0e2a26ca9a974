"""Names that are two in the model and one in the database, or are there none.

In: the placed tables of one context. Out: DuplicateTable, DuplicateColumn, ResourceIndexUnknownColumn.
Never: clashes of names as written (validation finds those).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Diagnostic, nearest
from loom.ir.places import DeclarationPath, Places
from loom.lower.problems.system import ResourceIndexUnknownColumn
from loom.plan.database.placed import Placed
from loom.plan.database.problems import DuplicateColumn, DuplicateTable


def table_clashes(tables: Iterable[Placed], places: Places) -> Iterator[Diagnostic]:
    """Tables and indexes share one namespace in a schema; the columns of a table have one of their own."""
    taken: dict[str, DeclarationPath] = {}
    for item in tables:
        names = [item.table.name, *[index.name for index in item.table.indexes]]
        for name in names:
            if name in taken:
                first, second = ".".join(taken[name]), ".".join(item.path)
                yield DuplicateTable(at=places.at(*item.path), first=first, second=second, name=name)
                break
            taken[name] = item.path
        yield from _columns(item, places)


def _columns(item: Placed, places: Places) -> Iterator[Diagnostic]:
    taken: dict[str, str] = {}
    for column in item.table.columns:
        label = ".".join(column.path) or column.name
        if column.name in taken:
            at = places.at(*item.path, *column.path[:1])
            yield DuplicateColumn(at=at, first=taken[column.name], second=label, name=column.name)
        taken.setdefault(column.name, label)


def missing_columns(
    tables: Iterable[Placed], indexes: Iterable[tuple[str, tuple[str, ...]]], places: Places
) -> Iterator[Diagnostic]:
    """What a resource asks an index for, and an entity keeps in several columns or in a table of its own."""
    wanted = tuple(indexes)
    entities = {item.path: item.table for item in tables if item.table.primary_key == ("id",)}
    for path, table in entities.items():
        known = {column.path[0] if column.path else column.name for column in table.columns if len(column.path) < 2}
        for field in dict.fromkeys(field for name, fields in wanted if name == path[-1] for field in fields):
            if field not in known:
                at, near = places.at(*path, field), nearest(field, known)
                yield ResourceIndexUnknownColumn(at=at, entity=path[-1], name=field, nearest=near)
