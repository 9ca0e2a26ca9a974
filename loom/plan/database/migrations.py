"""The migration that is still to be recorded: from the tables of the history to those of the model.

In: placed tables, recorded history. Out: the files of the context, at most one of them pending, and diagnostics.
Never: a file written, or a recorded one changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from loom.base import Diagnostic, snake, words
from loom.ir.places import Places
from loom.plan.database import ddl
from loom.plan.database.backfill import backfill
from loom.plan.database.columns import Declared
from loom.plan.database.difference import Altered, Difference, difference
from loom.plan.database.losses import Judged, problems
from loom.plan.database.placed import Placed
from loom.plan.database.problems import MigrationPending
from loom.plan.history import ColumnShape, History, RecordedMigration, TableShape
from loom.plan.storage import MigrationPlan

FIRST = 20260101000000


class Change(NamedTuple):
    """What a context's pending migration is made from."""

    context: str
    tables: tuple[Placed, ...]
    declared: Declared
    history: History
    places: Places

    def backfill(self, item: Placed, column: ColumnShape) -> str:
        """What stored rows get in a column that is required now; empty when nothing is known."""
        planned = next(each for each in item.table.columns if each.name == column.name)
        return backfill(planned, item.properties, self.declared)


def plan_migrations(
    change: Change, *, allow_destructive: bool
) -> tuple[tuple[MigrationPlan, ...], tuple[Diagnostic, ...]]:
    """Recorded files, then the pending one when the model wants other tables than they lead to."""
    recorded = change.history.migrations
    files = [_file(change.context, item, pending=False) for item in recorded]
    unrecorded: list[Diagnostic] = []
    found = difference(change.history.tables, change.tables)
    statements = [*_schemas(change, found), *_statements(change, found)]
    # What the database does not know of must be recorded too, lest the next change be compared with the one before.
    # kept by tests/unit/plan/test_migrations.py::test_a_part_that_every_owner_has_is_needed_whatever_came_between
    if statements or any(item.rows_before is not item.now.rows for item in found.altered):
        name = "pending" if recorded else "initial"
        pending = RecordedMigration(version=_next(change.history), name=name, sql=ddl.script(statements))
        files.append(_file(change.context, pending, pending=True))
        if change.history.is_closed:
            unrecorded.append(MigrationPending(at=change.places.at(), context=change.context))
    lost = problems(found, Judged(change.context, change.backfill, change.places, allow_destructive))
    return tuple(files), (*unrecorded, *lost)


def without_tables(history: History, name: str) -> RecordedMigration:
    """The file that ends a history: whoever goes on with it later begins without tables."""
    sql = ddl.script(ddl.drop_tables(history.tables))
    return RecordedMigration(version=_next(history), name=name, sql=sql)


def _next(history: History) -> str:
    return str(max([FIRST - 1, *[int(item.version) for item in history.migrations]]) + 1)


def _file(context: str, item: RecordedMigration, *, pending: bool) -> MigrationPlan:
    """The file under the name of the folder that the history lies in, which services keep in their ledger too."""
    sha256 = hashlib.sha256(item.sql.encode()).hexdigest()
    return MigrationPlan(
        context=snake(words(context)),
        version=item.version,
        name=item.name,
        sql=item.sql,
        sha256=sha256,
        pending=pending,
    )


def _schemas(change: Change, found: Difference) -> list[str]:
    known = {table.schema_name for table in change.history.tables}
    wanted = dict.fromkeys(item.table.schema_name for item in found.created)
    return [ddl.create_schema(schema) for schema in wanted if schema not in known]


def _statements(change: Change, found: Difference) -> Iterator[str]:
    """Keys and indexes go before what they stand on, and come after it."""
    shapes = [(item, item.now.shape) for item in found.altered]
    for item, table in shapes:
        yield from (ddl.drop_key(table, key) for key in item.lost_keys)
        yield from (ddl.drop_index(table, index) for index in item.lost_indexes)
    yield from ddl.drop_tables(found.dropped)
    yield from ddl.create_tables(item.shape for item in found.created)
    for item, table in shapes:
        yield from _column_changes(change, item, table)
    for item, table in shapes:
        yield from (ddl.add_key(table, key) for key in item.new_keys)
        yield from (ddl.create_index(table, index) for index in item.new_indexes)


def _column_changes(change: Change, item: Altered, table: TableShape) -> Iterator[str]:
    yield from (ddl.drop_check(table, was) for was, _ in item.rechosen if was.choices)
    for column in item.added:
        yield from ddl.add_column(table, column, "" if column.nullable else change.backfill(item.now, column))
    for column, present in item.demanded:
        yield ddl.fill(table, column, change.backfill(item.now, column), present)
    yield from (ddl.drop_column(table, column) for column in item.dropped)
    yield from (ddl.change_type(table, column) for _, column in item.retyped)
    for column in item.renulled:
        yield from ddl.change_nullability(table, column, change.backfill(item.now, column))
    chosen = [*item.added, *[column for _, column in item.rechosen]]
    yield from (ddl.add_check(table, column) for column in chosen if column.choices)
