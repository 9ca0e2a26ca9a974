"""What a place that results are shared in must do, whatever protocol it speaks.

In: nothing. Out: a protocol and the ways to fail. Never: trust in what it answers: callers check every byte.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from loom.base import Digest
from loom.build.remote.places.loads import Load
from loom.build.store.atomic import Readable

Parcel = tuple[Digest, bytes | str]
"""A blob to give: its bytes, or the path of a file that holds them."""
Taken: TypeAlias = Generator[tuple[Digest, bytes | Readable], None, None]
"""Blobs as they arrive, whole or to be read before the next one."""

RESULT_LIMIT = 64 << 20
BLOB_LIMIT = 8 << 30


class RemoteFailed(Exception):
    """It cannot be reached, does not answer in time, or refuses."""


class RemoteBroke(RemoteFailed):
    """It was there, or will be: another attempt may go well."""


class RemoteLacks(RemoteFailed):
    """It says that it lacks what it was given, or may mean that: giving it again may help."""


class RemoteAbsent(Exception):
    """It answers, and does not have that."""


class RemoteTooLarge(Exception):
    """It takes blobs, but none of that size."""


class Patience(NamedTuple):
    """Seconds to connect, of silence, for one answer; and how many bytes a second are too few.

    After `idle` seconds without a word, while an answer is waited for, the other side is asked for a sign of life:
    most servers hang up on those who ask more often than every five minutes.
    """

    connect: float = 5.0
    silence: float = 15.0
    answer: float = 30.0
    slowest: int = 64 << 10
    idle: float = 310.0

    def whole(self, size: int) -> float:
        """How long a transfer of that many bytes may take."""
        return self.answer + size / self.slowest


PATIENCE = Patience()


class Transport(Protocol):
    """Safe to use from several threads. `name` is for messages and holds no secret."""

    @property
    def name(self) -> str: ...

    def result(self, action: Digest) -> bytes:
        """The ActionResult stored for `action`; RemoteAbsent when there is none."""
        ...

    def questions(self, digests: Iterable[Digest]) -> Iterator[Load]:
        """Groups of which `lacking` may be asked."""
        ...

    def lacking(self, load: Load) -> set[Digest]:
        """Those of the group that it does not have."""
        ...

    def loads(self, digests: Iterable[Digest]) -> Iterator[Load]:
        """Groups that `take` and `give` carry."""
        ...

    def take(self, load: Load) -> Taken:
        """RemoteAbsent when one is not there; reading raises RemoteFailed when it breaks off."""
        ...

    def give(self, parcels: Sequence[Parcel]) -> None:
        """The blobs of one group; RemoteTooLarge when it does not take one of that size."""
        ...

    def put_result(self, action: Digest, data: bytes) -> None: ...

    def close(self) -> None: ...
