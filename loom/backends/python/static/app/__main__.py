"""Starts the service: migrates, listens, and drains when it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path
from types import FrameType

import uvicorn

from app.application import create_application
from app.log import configure_logging, log, log_exception
from app.persistence.database import Database
from app.persistence.migrations import migrate
from app.settings import Settings

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations"
CONNECT_ATTEMPTS = 30


class Server(uvicorn.Server):
    """Uvicorn, with the lifecycle in the log."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        log("info", "server_listening", port=self.config.port)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        log("info", "server_shutdown")
        super().handle_exit(sig, frame)


async def connect(database: Database) -> None:
    """Waits for the database, which may start after the service."""
    log("info", "db_connecting")
    for attempt in range(1, CONNECT_ATTEMPTS + 1):
        try:
            await database.ping()
        except Exception as error:
            if attempt == CONNECT_ATTEMPTS:
                raise
            log("warn", "db_error", error=type(error).__name__)
            await asyncio.sleep(1)
        else:
            break
    log("info", "db_connected")


async def serve(settings: Settings) -> int:
    database = Database(settings)
    try:
        await connect(database)
        await migrate(database.engine, MIGRATIONS)
    except Exception:
        log_exception("migration_failed")
        return 1
    config = uvicorn.Config(
        create_application(settings, database),
        host="0.0.0.0",
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=25,
    )
    await Server(config).serve()
    await database.close()
    log("info", "server_drained")
    return 0


def main() -> int:
    # Uvicorn raises the signal again when it has drained; a clean stop must still exit with 0.
    signal.signal(signal.SIGTERM, lambda *_: None)
    settings = Settings.model_validate(dict(os.environ))
    configure_logging(settings.log_level)
    log("info", "server_starting")
    return asyncio.run(serve(settings))


if __name__ == "__main__":
    sys.exit(main())
