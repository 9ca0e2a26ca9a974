"""The Remote Execution API (v2) as a cache: ActionCache, FindMissingBlobs, batches of blobs, ByteStream.

In: digests. Out: bytes. Never: a message that is larger than any server takes.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from loom.base import Digest
from loom.build.remote.credentials import TlsFiles
from loom.build.remote.places.line import Line, asked, failure, status, understood
from loom.build.remote.places.loads import Load, by_number, by_size, fits
from loom.build.remote.places.transport import (
    PATIENCE,
    Parcel,
    Patience,
    RemoteFailed,
    RemoteTooLarge,
    Taken,
)
from loom.build.remote.protocol import reapi
from loom.build.remote.protocol.entry import ENTRY

# Every implementation of gRPC takes messages of 4 MiB, whatever its server announces of batches.
# kept by tests/engine/remote/test_batches.py::test_no_message_is_larger_than_announced_or_than_any_server_takes
_MESSAGE = 3_500_000
# Small enough that the server makes one while another is put away.
_LOAD = 1_000_000
_ASKED = 10_000


class GrpcTransport:
    """One channel for all threads. `tls` is None for `grpc:`; the address may end with an instance's name."""

    def __init__(self, address: str, token: str, tls: TlsFiles | None, patience: Patience = PATIENCE) -> None:
        parts = urlsplit(address)
        self.name = address
        self.instance = reapi.Instance(parts.path.strip("/"))
        self.line = Line(parts.netloc, token, tls, patience)
        self._lock = threading.Lock()
        self._told: reapi.Abilities | None = None

    def result(self, action: Digest) -> bytes:
        self.abilities()
        return self.line.ask(reapi.GET_RESULT, self.instance.get_result(action, ENTRY), may_lack=True)

    def questions(self, digests: Iterable[Digest]) -> Iterator[Load]:
        return by_number(digests, _ASKED)

    def lacking(self, load: Load) -> set[Digest]:
        self.abilities()
        return set(understood(reapi.missing, self.line.ask(reapi.FIND_MISSING, self.instance.find_missing(load))))

    def loads(self, digests: Iterable[Digest]) -> Iterator[Load]:
        return by_size(digests, min(self._batch(), _LOAD))

    def take(self, load: Load) -> Taken:
        if fits(load, self._batch()):
            yield from self._take_batch(load)
        else:
            yield from self._take_stream(*load)

    def give(self, parcels: Sequence[Parcel]) -> None:
        largest = self.abilities().largest
        if largest and any(digest.size > largest for digest, _ in parcels):
            raise RemoteTooLarge
        if fits(tuple(digest for digest, _ in parcels), self._batch()):
            self._give_batch([(digest, _bytes(source)) for digest, source in parcels])
        else:
            self._give_stream(*parcels)

    def put_result(self, action: Digest, data: bytes) -> None:
        if not self.abilities().updates:
            raise RemoteFailed("takes no results")
        self.line.ask(reapi.UPDATE_RESULT, self.instance.update_result(action, data))

    def close(self) -> None:
        self.line.close()

    def _batch(self) -> int:
        """Bytes of one message."""
        return min(self.abilities().batch or _MESSAGE, _MESSAGE)

    def abilities(self) -> reapi.Abilities:
        """What it can do, asked once: a server that names blobs in another way would never have any."""
        with self._lock:
            if self._told is None:
                told = understood(reapi.abilities, self.line.ask(reapi.GET_CAPABILITIES, self.instance.capabilities()))
                if not told.sha256:
                    raise RemoteFailed("does not know SHA-256")
                self._told = told
            return self._told

    def _take_batch(self, load: Load) -> Taken:
        size = sum(digest.size for digest in load)
        answer = self.line.ask(reapi.BATCH_READ, self.instance.batch_read(load), size, may_lack=True)
        for digest, code, data in understood(reapi.read_blobs, answer):
            _accept(code, may_lack=True)
            yield digest, data

    def _take_stream(self, digest: Digest) -> Taken:
        call = self.line.stream(reapi.READ, self.instance.read(digest), self.line.patience.whole(digest.size))
        try:
            yield digest, _Pieces(call)
        finally:
            call.cancel()

    def _give_batch(self, blobs: list[tuple[Digest, bytes]]) -> None:
        size = sum(digest.size for digest, _ in blobs)
        answer = self.line.ask(reapi.BATCH_UPDATE, self.instance.batch_update(blobs), size)
        codes = dict(understood(reapi.updated, answer))
        for digest, _ in blobs:
            _accept(codes.get(digest, -1))

    def _give_stream(self, parcel: Parcel) -> None:
        digest, source = parcel
        with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as stream:
            answer = self.line.send(reapi.WRITE, self.instance.write(digest, stream), digest.size)
        # -1 and the whole size both mean that the server has it: somebody else may have been first.
        if understood(reapi.committed, answer) < digest.size:
            raise RemoteFailed("keeps only a part of what it is given")


class _Pieces:
    """The pieces of a blob as a stream."""

    def __init__(self, call: Iterator[bytes]) -> None:
        self._call = call
        self._left = b""

    def read(self, size: int, /) -> bytes:
        while not self._left:
            answer = asked(lambda: next(self._call, None), may_lack=True)
            if answer is None:
                return b""
            self._left = understood(reapi.piece, answer)
        found, self._left = self._left[:size], self._left[size:]
        return found


def _bytes(source: bytes | str) -> bytes:
    if isinstance(source, bytes):
        return source
    with open(source, "rb") as stream:
        return stream.read()


def _accept(code: int, *, may_lack: bool = False) -> None:
    """The status of one blob of a batch."""
    if code:
        raise failure(status(code), may_lack=may_lack)
