"""What a place that results are shared in must do, whatever protocol it speaks.

In: nothing. Out: a protocol and the ways to fail. Never: trust in what it answers: callers check every byte.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from loom.base import Digest
from loom.build.store.atomic import Readable

RESULT_LIMIT = 64 << 20
BLOB_LIMIT = 8 << 30


class RemoteFailed(Exception):
    """It cannot be reached, does not answer in time, or refuses."""


class RemoteAbsent(Exception):
    """It answers, and does not have that."""


class Patience(NamedTuple):
    """Seconds to connect, of silence, for one answer; and how many bytes a second are too few."""

    connect: float = 5.0
    silence: float = 15.0
    answer: float = 30.0
    slowest: int = 64 << 10

    def whole(self, size: int) -> float:
        """How long a transfer of that many bytes may take."""
        return self.answer + size / self.slowest


PATIENCE = Patience()


class Transport(Protocol):
    """Safe to use from several threads. `name` is for messages and holds no secret."""

    @property
    def name(self) -> str: ...

    def result(self, key: str) -> bytes:
        """The ActionResult stored under `key`; RemoteAbsent when there is none."""
        ...

    def has(self, digest: Digest) -> bool: ...

    def blob(self, digest: Digest) -> AbstractContextManager[Readable]:
        """RemoteAbsent when it is not there; reading raises RemoteFailed when it breaks off."""
        ...

    def put_blob(self, digest: Digest, source: bytes | str) -> None:
        """The bytes of that digest, or the path of a file that holds them."""
        ...

    def put_result(self, key: str, data: bytes) -> None: ...

    def close(self) -> None: ...
