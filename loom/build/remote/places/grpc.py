"""The Remote Execution API (v2) as a cache: ActionCache, FindMissingBlobs, batches of blobs, ByteStream.

In: digests. Out: bytes. Never: a proxy of the environment, more waiting than was agreed, or the words of a server.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

from loom.base import Digest
from loom.build.remote.credentials import TlsFiles
from loom.build.remote.places.loads import Load, by_number, by_size, fits
from loom.build.remote.places.transport import (
    PATIENCE,
    Parcel,
    Patience,
    RemoteAbsent,
    RemoteFailed,
    RemoteTooLarge,
    Taken,
)
from loom.build.remote.protocol import reapi
from loom.build.remote.protocol.entry import ENTRY
from loom.build.remote.protocol.wire import WireError

# Its threads would else be looked after at every fork, with a warning for each sandbox.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
import grpc

T = TypeVar("T")
_OPTIONS = (("grpc.enable_http_proxy", 0),)
# Every implementation of gRPC takes messages of 4 MiB, whatever its server announces of batches.
# kept by tests/engine/remote/test_batches.py::test_no_message_is_larger_than_announced_or_than_any_server_takes
_MESSAGE = 3_500_000
_ASKED = 10_000
_REASONS = {
    grpc.StatusCode.UNAVAILABLE: "cannot be reached",
    grpc.StatusCode.DEADLINE_EXCEEDED: "does not answer in time",
    grpc.StatusCode.UNAUTHENTICATED: "refuses (UNAUTHENTICATED)",
    grpc.StatusCode.PERMISSION_DENIED: "refuses (PERMISSION_DENIED)",
}
_STATUS: dict[int, grpc.StatusCode] = {status.value[0]: status for status in grpc.StatusCode}


class GrpcTransport:
    """One channel for all threads. `tls` is None for `grpc:`; the address may end with an instance's name."""

    def __init__(self, address: str, token: str, tls: TlsFiles | None, patience: Patience = PATIENCE) -> None:
        parts = urlsplit(address)
        self.name = address
        self._instance = reapi.Instance(parts.path.strip("/"))
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._patience = patience
        self._channel = _channel(parts.netloc, tls)
        self._lock = threading.Lock()
        self._told: reapi.Abilities | None = None

    def result(self, action: Digest) -> bytes:
        self._abilities()
        return self._ask(reapi.GET_RESULT, self._instance.get_result(action, ENTRY), may_lack=True)

    def questions(self, digests: Iterable[Digest]) -> Iterator[Load]:
        return by_number(digests, _ASKED)

    def lacking(self, load: Load) -> set[Digest]:
        self._abilities()
        return set(_read(reapi.missing, self._ask(reapi.FIND_MISSING, self._instance.find_missing(load))))

    def loads(self, digests: Iterable[Digest]) -> Iterator[Load]:
        return by_size(digests, self._batch())

    def take(self, load: Load) -> Taken:
        if fits(load, self._batch()):
            yield from self._take_batch(load)
        else:
            yield from self._take_stream(*load)

    def give(self, parcels: Sequence[Parcel]) -> None:
        largest = self._abilities().largest
        if largest and any(digest.size > largest for digest, _ in parcels):
            raise RemoteTooLarge
        if fits(tuple(digest for digest, _ in parcels), self._batch()):
            self._give_batch([(digest, _bytes(source)) for digest, source in parcels])
        else:
            self._give_stream(*parcels)

    def put_result(self, action: Digest, data: bytes) -> None:
        if not self._abilities().updates:
            raise RemoteFailed("takes no results")
        self._ask(reapi.UPDATE_RESULT, self._instance.update_result(action, data))

    def close(self) -> None:
        self._channel.close()

    def _batch(self) -> int:
        """Bytes of one message."""
        return min(self._abilities().batch or _MESSAGE, _MESSAGE)

    def _abilities(self) -> reapi.Abilities:
        """Asked once: a server that names blobs in another way would never have any."""
        with self._lock:
            if self._told is None:
                told = _read(reapi.abilities, self._ask(reapi.GET_CAPABILITIES, self._instance.capabilities()))
                if not told.sha256:
                    raise RemoteFailed("does not know SHA-256")
                self._told = told
            return self._told

    def _take_batch(self, load: Load) -> Taken:
        size = sum(digest.size for digest in load)
        answer = self._ask(reapi.BATCH_READ, self._instance.batch_read(load), size, may_lack=True)
        for digest, code, data in _read(reapi.read_blobs, answer):
            _accept(code, may_lack=True)
            yield digest, data

    def _take_stream(self, digest: Digest) -> Taken:
        read: grpc.UnaryStreamMultiCallable[bytes, bytes] = self._channel.unary_stream(reapi.READ)
        patience = self._patience.whole(digest.size)
        call = read(self._instance.read(digest), timeout=patience, metadata=self._metadata)
        try:
            yield digest, _Pieces(call)
        finally:
            call.cancel()

    def _give_batch(self, blobs: list[tuple[Digest, bytes]]) -> None:
        size = sum(digest.size for digest, _ in blobs)
        answer = self._ask(reapi.BATCH_UPDATE, self._instance.batch_update(blobs), size)
        codes = dict(_read(reapi.updated, answer))
        for digest, _ in blobs:
            _accept(codes.get(digest, -1))

    def _give_stream(self, parcel: Parcel) -> None:
        digest, source = parcel
        write: grpc.StreamUnaryMultiCallable[bytes, bytes] = self._channel.stream_unary(reapi.WRITE)
        patience = self._patience.whole(digest.size)
        with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as stream:
            pieces = self._instance.write(digest, stream)
            answer = _asked(lambda: write(pieces, timeout=patience, metadata=self._metadata))
        # -1 and the whole size both mean that the server has it: somebody else may have been first.
        if _read(reapi.committed, answer) < digest.size:
            raise RemoteFailed("keeps only a part of what it is given")

    def _ask(self, method: str, request: bytes, size: int = 0, *, may_lack: bool = False) -> bytes:
        """`size` bytes of blobs go to or fro; `may_lack` says that NOT_FOUND is an answer and no failure."""
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(method)
        timeout = self._patience.whole(size)
        return _asked(lambda: call(request, timeout=timeout, metadata=self._metadata), may_lack=may_lack)


class _Pieces:
    """The pieces of a blob as a stream."""

    def __init__(self, call: Iterator[bytes]) -> None:
        self._call = call
        self._left = b""

    def read(self, size: int, /) -> bytes:
        while not self._left:
            answer = _asked(lambda: next(self._call, None), may_lack=True)
            if answer is None:
                return b""
            self._left = _read(reapi.piece, answer)
        found, self._left = self._left[:size], self._left[size:]
        return found


def _channel(target: str, tls: TlsFiles | None) -> grpc.Channel:
    if tls is None:
        return grpc.insecure_channel(target, _OPTIONS)
    found = grpc.ssl_channel_credentials(tls.ca or None, tls.key or None, tls.certificate or None)
    return grpc.secure_channel(target, found, _OPTIONS)


def _bytes(source: bytes | str) -> bytes:
    if isinstance(source, bytes):
        return source
    with open(source, "rb") as stream:
        return stream.read()


def _accept(code: int, *, may_lack: bool = False) -> None:
    """The status of one blob of a batch."""
    if code:
        raise _failure(_STATUS.get(code, grpc.StatusCode.UNKNOWN), may_lack=may_lack)


def _asked(call: Callable[[], T], *, may_lack: bool = False) -> T:
    try:
        return call()
    except grpc.RpcError as error:
        status = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
        raise _failure(status, may_lack=may_lack) from None


def _failure(status: grpc.StatusCode, *, may_lack: bool) -> Exception:
    if may_lack and status is grpc.StatusCode.NOT_FOUND:
        return RemoteAbsent(status.name)
    return RemoteFailed(_REASONS.get(status, f"answers {status.name}"))


def _read(read: Callable[[bytes], T], answer: bytes) -> T:
    try:
        return read(answer)
    except WireError as error:
        raise RemoteFailed(f"gives an answer that {error}") from None
