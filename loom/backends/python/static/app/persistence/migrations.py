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
    async with engine.begin() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        await connection.execute(_CREATE_LEDGER)
        applied = {
            (row.context, row.version): row.sha256 for row in await connection.execute(_APPLIED)
        }
        for path in sorted(folder.glob("*/*.sql")):
            await _apply(connection, Migration(path), applied)
    log("info", "migrations_complete")


async def _apply(
    connection: AsyncConnection, migration: Migration, applied: dict[tuple[str, str], str]
) -> None:
    context, version = migration.key
    sha256 = migration.sha256()
    if migration.key not in applied:
        try:
            for statement in migration.statements():
                await connection.exec_driver_sql(statement)
        except DBAPIError as error:
            raise MigrationError(migration.path, log_fields(error)) from error
        await connection.execute(
            _RECORD, {"context": context, "version": version, "sha256": sha256}
        )
        log("info", "migration_applied", context=context, version=version)
    elif applied[migration.key] != sha256:
        raise MigrationError(migration.path, {"error": "changed after it was applied"})
