"""Applies the SQL migrations of every context, once each and in order, before listening."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.log import log
from app.persistence.faults import log_fields

BREAKPOINT = re.compile(r"^--> statement-breakpoint$", re.MULTILINE)
# Any number, as long as every replica takes the same lock.
_LOCK = 7_110_317
_CREATE_LEDGER = text("""
CREATE TABLE IF NOT EXISTS "public"."__loom_migrations" (
  "context" TEXT NOT NULL,
  "version" TEXT NOT NULL,
  "sha256" TEXT NOT NULL,
  "applied_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY ("context", "version")
)
""")
_APPLIED = text('SELECT "context", "version", "sha256" FROM "public"."__loom_migrations"')
_RECORD = text(
    'INSERT INTO "public"."__loom_migrations" ("context", "version", "sha256")'
    " VALUES (:context, :version, :sha256)"
)


class MigrationError(Exception):
    """A file that cannot be applied; `fields` are what the log says of it."""

    def __init__(self, path: Path, fields: Mapping[str, object]) -> None:
        super().__init__(str(path))
        self.fields = {"migration": f"{path.parent.name}/{path.name}", **fields}


@dataclass(frozen=True)
class Migration:
    """One file: `<context>/<version>_<name>.sql`."""

    path: Path

    @property
    def key(self) -> tuple[str, str]:
        return self.path.parent.name, self.path.name.partition("_")[0]

    def sha256(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def statements(self) -> Iterable[str]:
        parts = BREAKPOINT.split(self.path.read_text(encoding="utf-8"))
        return (part.strip() for part in parts if part.strip())


async def migrate(engine: AsyncEngine, folder: Path) -> None:
    """Brings the database up to date; replicas that start together wait for one another."""
    log("info", "migrations_starting")
    # Whoever waited for the lock must see what was applied meanwhile.
    seeing = engine.execution_options(isolation_level="READ COMMITTED")
    async with seeing.connect() as connection:
        await connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
        try:
            await connection.execute(_CREATE_LEDGER)
            for migration in await _pending(connection, folder):
                await _apply(connection, migration)
        finally:
            # The lock goes with its session.
            await connection.invalidate()
    log("info", "migrations_complete")


async def _pending(connection: AsyncConnection, folder: Path) -> list[Migration]:
    """Those that were not applied yet; raises at one that was changed after it had been."""
    applied = {(row.context, row.version): row.sha256 for row in await connection.execute(_APPLIED)}
    await connection.commit()
    migrations = [Migration(path) for path in sorted(folder.glob("*/*.sql"))]
    for migration in migrations:
        if applied.get(migration.key, migration.sha256()) != migration.sha256():
            raise MigrationError(migration.path, {"error": "changed after it was applied"})
    return [migration for migration in migrations if migration.key not in applied]


async def _apply(connection: AsyncConnection, migration: Migration) -> None:
    """One file, as one transaction."""
    context, version = migration.key
    made = {"context": context, "version": version, "sha256": migration.sha256()}
    try:
        async with connection.begin():
            for statement in migration.statements():
                await connection.exec_driver_sql(statement)
            await connection.execute(_RECORD, made)
    except DBAPIError as error:
        raise MigrationError(migration.path, log_fields(error)) from error
    log("info", "migration_applied", context=context, version=version)
