"""Writes an aggregate as the difference between the rows it had and the rows it has."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    Table,
    Text,
    and_,
    collate,
    delete,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from app.errors import ConflictError, StaleVersionError
from app.persistence.faults import is_reference_violation

_Item = TypeVar("_Item")
Row = Mapping[str, Any]
RowSet = Mapping[Table, Sequence[Row]]
"""The rows of one aggregate, parents before children; the first table holds the root."""
MAX_VALUES = 65_535
"""How many values one statement may bind."""
MAX_ROWS = 1_000
"""How many rows one statement names; many more are too complex for the database."""


async def insert_rows(session: AsyncSession, rows: RowSet) -> None:
    for table, added in rows.items():
        for batch in _batches(added, len(table.columns)):
            await session.execute(insert(table).values(batch))


async def update_rows(session: AsyncSession, before: RowSet, after: RowSet) -> None:
    """Writes the root, which must still have the version it was loaded with, and what changed."""
    (root, (old,)), *_ = before.items()
    (_, (new,)), *children = after.items()
    same = and_(root.c.id == old["id"], root.c.version == old["version"])
    written = await session.execute(update(root).where(same).values(dict(new)).returning(root.c.id))
    if written.first() is None:
        raise StaleVersionError
    for table, rows in reversed(children):
        await _delete_missing(session, table, before[table], rows)
    for table, rows in children:
        await _write_changed(session, table, before[table], rows)


async def _delete_missing(
    session: AsyncSession, table: Table, before: Iterable[Row], after: Iterable[Row]
) -> None:
    """Deletes what is gone, in one statement."""
    kept = _by_key(table, after)
    gone = [key for key in _by_key(table, before) if key not in kept]
    for batch in _batches(gone, len(table.primary_key)):
        rows = (and_(*map(operator.eq, table.primary_key, key)) for key in batch)
        await session.execute(delete(table).where(or_(*rows)))


async def _write_changed(
    session: AsyncSession, table: Table, before: Iterable[Row], after: Iterable[Row]
) -> None:
    """Writes what is new or different, in one statement."""
    known = _by_key(table, before)
    changed = [row for key, row in _by_key(table, after).items() if row != known.get(key)]
    for batch in _batches(changed, len(table.columns)):
        await session.execute(_upsert(table, batch))


def _upsert(table: Table, rows: Sequence[Row]) -> Insert:
    added = insert(table).values(rows)
    others = [column.name for column in table.columns if not column.primary_key]
    if not others:
        return added
    new = {name: added.excluded[name] for name in others}
    return added.on_conflict_do_update(index_elements=list(table.primary_key), set_=new)


def _batches(items: Sequence[_Item], values: int) -> Iterator[Sequence[_Item]]:
    """Items in portions for one statement each; an item has as many values."""
    size = min(MAX_ROWS, MAX_VALUES // values)
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _by_key(table: Table, rows: Iterable[Row]) -> dict[tuple[Any, ...], Row]:
    names = [column.name for column in table.primary_key]
    return {tuple(row[name] for name in names): row for row in rows}


async def children_of(
    session: AsyncSession, table: Table, owner: str, owners: Collection[str]
) -> dict[str, list[RowMapping]]:
    """The rows of a child table by owner, in the order of their keys; one query for all owners."""
    found: dict[str, list[RowMapping]] = defaultdict(list)
    if owners:
        wanted = select(table).where(table.c[owner].in_(owners)).order_by(*table.primary_key)
        for row in (await session.execute(wanted)).mappings():
            found[row[owner]].append(row)
    return found


async def elements_of(
    session: AsyncSession, table: Table, owner: str, owners: Collection[str]
) -> dict[tuple[Any, ...], list[RowMapping]]:
    """The rows of what elements hold, by the keys of the elements, in order; one query for all owners."""
    key = [column.name for column in table.primary_key][:-1]
    found: dict[tuple[Any, ...], list[RowMapping]] = defaultdict(list)
    for rows in (await children_of(session, table, owner, owners)).values():
        for row in rows:
            found[tuple(row[name] for name in key)].append(row)
    return found


def ids_of(children: Mapping[str, Sequence[RowMapping]]) -> list[str]:
    """The ids of all rows that were found, as owners of the next level."""
    return [row["id"] for rows in children.values() for row in rows]


async def delete_root(
    session: AsyncSession, root: Table, row_id: str, version: int, still_referenced: str
) -> bool:
    """Deletes the root as it was loaded, its children with it; False when it is no longer so."""
    known = and_(root.c.id == row_id, root.c.version == version)
    try:
        deleted = await session.execute(delete(root).where(known).returning(root.c.id))
    except DBAPIError as error:
        if is_reference_violation(error):
            raise ConflictError(still_referenced) from error
        raise
    return deleted.first() is not None


def ordering(
    column: ColumnElement[Any], tie_break: ColumnElement[Any], *, descending: bool
) -> tuple[ColumnElement[Any], ...]:
    """How a list is sorted: texts by code point, and ties by id."""
    key = collate(column, "C") if isinstance(column.type, Text) else column
    return (key.desc() if descending else key.asc(), tie_break.asc())
