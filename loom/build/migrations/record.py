"""Gives every pending migration a name, for good.

In: a workspace whose plan has no error, and a name. Out: new files below `migrations/`.
Never: a file that was recorded before, or half of what is pending.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from loom.build.migrations.history import FOLDER, check_name, history_folder, read_history, record
from loom.plan.database.migrations import without_tables
from loom.plan.history import Recorded, RecordedMigration, table_shapes
from loom.plan.model import ContextPlan


class PendingRecord(NamedTuple):
    """One context's pending file and where it belongs."""

    folder: Path
    context: ContextPlan
    version: str
    sql: str


def record_pending(root: Path, planned: Iterable[tuple[str, ContextPlan]], name: str) -> tuple[Path, ...]:
    """Records what is pending in any of these contexts, each with the name of its system; the new files."""
    check_name(name)
    pending = [item for system, context in planned for item in _pending(root, system, context)]
    return tuple(_record(item, name) for item in sorted(pending, key=lambda item: item.folder))


def record_abandoned(root: Path, left: Iterable[Recorded], name: str) -> tuple[Path, ...]:
    """Ends every history that the model no longer goes on with; the new files."""
    check_name(name)
    folders = [root / FOLDER / item.folder for found in left for item in found.histories]
    return tuple(record(folder, without_tables(read_history(folder), name), ()) for folder in sorted(folders))


def _pending(root: Path, system: str, context: ContextPlan) -> Iterator[PendingRecord]:
    folder = history_folder(root, system, context.name)
    for migration in context.migrations:
        if migration.pending:
            yield PendingRecord(folder, context, migration.version, migration.sql)


def _record(item: PendingRecord, name: str) -> Path:
    migration = RecordedMigration(version=item.version, name=name, sql=item.sql)
    return record(item.folder, migration, table_shapes(item.context))
