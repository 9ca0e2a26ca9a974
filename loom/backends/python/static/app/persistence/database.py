"""The database of the service: one engine, one transaction per request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Literal, TypeVar

from fastapi import Depends, Request
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from app.errors import StaleVersionError
from app.events import DomainEvent, dispatch
from app.log import log
from app.persistence.faults import is_transient, log_fields
from app.settings import Settings
from app.values.json_values import json_text, parse_json

Result = TypeVar("Result")
Isolation = Literal["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]

RETRIES = 3


class UnitOfWork:
    """One session, and the events that become public when it commits."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session
        self._events: list[DomainEvent] = []
        self._last_events: list[DomainEvent] = []

    def emit(self, event: DomainEvent) -> None:
        """Takes an event that is told after those of all aggregates."""
        self._last_events.append(event)

    def record(self, events: list[DomainEvent]) -> None:
        """Takes over the events of a saved aggregate."""
        self._events += events
        events.clear()

    async def commit(self) -> None:
        """Makes the changes durable, then hands out the events."""
        await self.session.commit()
        events, self._events = self._events, []
        dispatch(events)

    async def complete(self) -> None:
        """Commits for the last time."""
        await self.commit()
        dispatch(self._last_events)


class Database:
    """Opens units of work."""

    def __init__(self, settings: Settings) -> None:
        self.engine: AsyncEngine = create_async_engine(
            make_url(settings.database()).set(drivername="postgresql+psycopg"),
            pool_size=10,
            pool_pre_ping=True,
            json_serializer=json_text,
            json_deserializer=parse_json,
            connect_args={"connect_timeout": 5, "options": "-c timezone=UTC"},
        )

    async def ping(self) -> None:
        async with self.engine.connect() as connection:
            await connection.execute(text("SELECT 1"))

    @asynccontextmanager
    async def unit_of_work(self, isolation: Isolation | None = None) -> AsyncIterator[UnitOfWork]:
        """A unit that commits at the end, or leaves no trace when an error ends it."""
        async with AsyncSession(self.engine, expire_on_commit=False) as session:
            if isolation is not None:
                await session.connection(execution_options={"isolation_level": isolation})
            work = UnitOfWork(session)
            yield work
            await work.complete()

    async def in_transaction(
        self,
        body: Callable[[UnitOfWork], Awaitable[Result]],
        isolation: Isolation | None = None,
    ) -> Result:
        """Runs `body` as one transaction, again when it lost against a concurrent one."""
        for attempt in range(RETRIES + 1):
            try:
                async with self.unit_of_work(isolation) as work:
                    return await body(work)
            except DBAPIError as error:
                if not is_transient(error):
                    raise
                log("warn", "tx_retry", attempt=attempt + 1, **log_fields(error))
        raise StaleVersionError

    async def close(self) -> None:
        await self.engine.dispose()


def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


DatabaseDependency = Annotated[Database, Depends(_database)]
