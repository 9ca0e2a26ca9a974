"""Whose turn it is to have one of the connections to the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.log import Level, log


class PoolExhaustedError(Exception):
    """No connection became free in time."""


class Turns:
    """As many at once as there are connections; others wait, in their order and not for ever."""

    def __init__(self, connections: int, seconds: int) -> None:
        self._connections = connections
        self._seconds = seconds
        self._free = asyncio.Semaphore(connections)
        self._waiting = 0

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        if self._free.locked():
            await self._wait()
        else:
            await self._free.acquire()
        try:
            yield
        finally:
            self._free.release()

    async def _wait(self) -> None:
        if self._waiting == 0:
            self._tell("warn")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._free.acquire()
        except TimeoutError as error:
            refusal = f"none of {self._connections} connections was free for {self._seconds} s"
            self._tell("error", error=refusal)
            raise PoolExhaustedError(refusal) from error
        finally:
            self._waiting -= 1

    def _tell(self, level: Level, **fields: object) -> None:
        log(level, "db_pool_exhausted", connections=self._connections, **fields)
