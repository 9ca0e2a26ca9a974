"""Names that are two in the model and one in the database, or are there none.

In: the placed tables of one context. Out: DuplicateTable, DuplicateColumn, ResourceIndexUnknownColumn.
Never: clashes of names as written (validation finds those).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from loom.base import Diagnostic, nearest
from loom.ir.places import DeclarationPath, Places
from loom.lower.problems.system import ResourceIndexUnknownColumn
from loom.plan.database.placed import Placed
from loom.plan.database.problems import DuplicateColumn, DuplicateTable
from loom.plan.storage import ColumnPlan


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
    taken: dict[str, ColumnPlan] = {}
    for column in item.table.columns:
        if column.name in taken:
            yield _shared_column(item, taken[column.name], column, places)
        taken.setdefault(column.name, column)


def _shared_column(item: Placed, earlier: ColumnPlan, later: ColumnPlan, places: Places) -> Diagnostic:
    """What a table keeps for itself has no path."""
    paths = [column.path for column in (earlier, later) if column.path]
    at = places.at(*item.path, *(paths[-1][:1] if paths else ()))
    fields = [".".join(path) for path in paths]
    case: Literal["fields", "kept", "twice"] = "fields" if len(fields) == 2 else "kept" if fields else "twice"
    first, second = fields if case == "fields" else (item.table.name, "".join(fields))
    return DuplicateColumn(at=at, case=case, first=first, second=second, name=later.name)


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
