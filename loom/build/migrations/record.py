"""Gives every pending migration a name, for good.

In: a workspace whose plan has no error, and a name. Out: new files below `migrations/`.
Never: a file that was recorded before, or half of what is pending.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from loom.base.pipeline import Deployed
from loom.build.migrations.history import check_name, history_folder, record
from loom.plan.history import RecordedMigration, table_shapes
from loom.plan.model import ContextPlan, ServicePlan


class PendingRecord(NamedTuple):
    """One context's pending file and where it belongs."""

    folder: Path
    context: ContextPlan
    version: str
    sql: str


def record_pending(root: Path, services: Sequence[tuple[Deployed, ServicePlan]], name: str) -> tuple[Path, ...]:
    """Records what is pending in any context, once, whichever deployables host it; the new files."""
    check_name(name)
    pending = {item.folder: item for deployed, plan in services for item in _pending(root, deployed.system, plan)}
    return tuple(_record(item, name) for _, item in sorted(pending.items()))


def _pending(root: Path, system: str, plan: ServicePlan) -> Iterator[PendingRecord]:
    for context in plan.contexts:
        for migration in context.migrations:
            if migration.pending:
                folder = history_folder(root, system, context.name)
                yield PendingRecord(folder, context, migration.version, migration.sql)


def _record(item: PendingRecord, name: str) -> Path:
    migration = RecordedMigration(version=item.version, name=name, sql=item.sql)
    return record(item.folder, migration, table_shapes(item.context))
