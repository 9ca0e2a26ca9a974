"""Starts the service: migrates, listens, and drains when it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextvars import Context
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from sqlalchemy.exc import SQLAlchemyError

from app import service
from app.application import create_application
from app.http.protocol import Protocol
from app.log import configure_logging, log
from app.persistence.database import Database
from app.persistence.faults import log_fields
from app.persistence.migrations import MigrationError, migrate
from app.settings import Settings, SettingsError, read_settings

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations"
CONNECT_ATTEMPTS = 30
SIGNALS = (signal.SIGINT, signal.SIGTERM)
# The heaviest recursion, a sort in the key of a sort, takes 2.5 kB a frame; a main thread has 8 MB.
CALL_DEPTH = 2500


class Server(uvicorn.Server):
    """Uvicorn, with the lifecycle in the log, and unready before it stops."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, drain_seconds: int) -> None:
        super().__init__(config)
        self.app = app
        self.drain_seconds = drain_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        log("info", "server_listening", port=self.config.port)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stops once others had time to learn that it is unready; at once when told again."""
        if self.app.state.is_stopping:
            super().handle_exit(sig, frame)
            return
        self.app.state.is_stopping = True
        # A signal can interrupt the writing of a log line: the loop writes this one, later, and
        # not as one of the request that it interrupted.
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(self._drain, sig, context=Context())

    def _drain(self, sig: int) -> None:
        log("info", "server_shutdown")
        loop = asyncio.get_running_loop()
        loop.call_later(self.drain_seconds, super().handle_exit, sig, None)


async def connect(database: Database) -> None:
    """Waits for the database, which may start after the service."""
    log("info", "db_connecting")
    for attempt in range(1, CONNECT_ATTEMPTS + 1):
        try:
            await database.ping()
        except (SQLAlchemyError, OSError) as error:
            if attempt == CONNECT_ATTEMPTS:
                raise
            log("warn", "db_error", **log_fields(error))
            await asyncio.sleep(1)
        else:
            break
    log("info", "db_connected")


async def serve(settings: Settings) -> None:
    database = Database(settings)
    await connect(database)
    await migrate(database.engine, MIGRATIONS)
    app = create_application(settings, database)
    config = uvicorn.Config(
        app,
        host="0.0.0.0",
        port=settings.port,
        http=Protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=settings.grace_seconds,
    )
    # Uvicorn raises the signal again when it has drained; a clean stop must still exit with 0.
    on_signal(lambda *_: None)
    await Server(config, app, settings.drain_seconds).serve()
    await database.close()
    log("info", "db_disconnected")
    log("info", "server_drained")


def on_signal(handler: Callable[[int, FrameType | None], object]) -> None:
    for each in SIGNALS:
        signal.signal(each, handler)


def stop_early(*_: object) -> None:
    """Ends a service that does not listen yet."""
    raise KeyboardInterrupt


def main() -> int:
    configure_logging("info")
    try:
        settings = read_settings(os.environ)
    except SettingsError as error:
        for setting, refusal in error.refusals.items():
            log("error", "internal_error", setting=setting, error=refusal)
        return 1
    configure_logging(settings.log_level)
    log("info", "server_starting", service=service.NAME)
    sys.setrecursionlimit(CALL_DEPTH)
    on_signal(stop_early)
    try:
        asyncio.run(serve(settings))
    except KeyboardInterrupt:
        log("info", "server_shutdown")
        return 0
    except MigrationError as error:
        log("error", "migration_failed", **error.fields)
    except SQLAlchemyError as error:
        log("error", "db_error", **log_fields(error))
    except (OSError, ValueError) as error:
        log("error", "internal_error", **log_fields(error))
    except SystemExit:
        # Uvicorn cannot listen, and has told why.
        return 1
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
