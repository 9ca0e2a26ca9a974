"""Connections that cannot keep us waiting: each read has a limit, and so has an answer as a whole.

In: a connected socket. Out: the same, for http.client, which would wait for one more byte for ever.
Never: a thread or a signal.
"""

from __future__ import annotations

import io
import socket
import time
from typing import TYPE_CHECKING, BinaryIO

from loom.build.remote.places.transport import Patience
from loom.build.store.atomic import Readable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Deadline:
    """When one exchange must be over."""

    def __init__(self, patience: Patience, size: int = 0) -> None:
        self._silence = patience.silence
        self._end = time.monotonic() + patience.whole(size)

    def left(self) -> float:
        """Seconds that the next read or write may take; TimeoutError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("took too long")
        return min(left, self._silence)


class _TimedRaw(io.RawIOBase):
    def __init__(self, connected: socket.socket, deadline: Deadline) -> None:
        self._socket = connected
        self._raw = connected.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        self._socket.settimeout(self._deadline.left())
        return self._raw.readinto(buffer) or 0

    def close(self) -> None:
        self._raw.close()
        super().close()


class TimedSocket:
    """What http.client.HTTPResponse wants of a socket."""

    def __init__(self, connected: socket.socket, deadline: Deadline) -> None:
        self._raw = _TimedRaw(connected, deadline)

    def makefile(self, mode: str) -> BinaryIO:
        return io.BufferedReader(self._raw)


class TimedBody:
    """A file that is sent; each piece of it may take as long as the deadline allows."""

    def __init__(self, stream: Readable, connected: socket.socket, deadline: Deadline) -> None:
        self._stream = stream
        self._socket = connected
        self._deadline = deadline

    def read(self, size: int = -1, /) -> bytes:
        self._socket.settimeout(self._deadline.left())
        return self._stream.read(size)
