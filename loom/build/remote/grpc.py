"""The Remote Execution API (v2) as a cache: ActionCache, FindMissingBlobs, ByteStream.

In: digests. Out: bytes. Never: a proxy of the environment, more waiting than was agreed, or the words of a server.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import urlsplit

from loom.base import Digest
from loom.build.remote import reapi
from loom.build.remote.credentials import TlsFiles
from loom.build.remote.transport import PATIENCE, RESULT_LIMIT, Patience, RemoteAbsent, RemoteFailed
from loom.build.remote.wire import WireError
from loom.build.store.atomic import Readable

# Its threads would else be looked after at every fork, with a warning for each sandbox.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
import grpc

T = TypeVar("T")
_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", RESULT_LIMIT),
    ("grpc.max_send_message_length", RESULT_LIMIT),
)
_REASONS = {
    grpc.StatusCode.UNAVAILABLE: "cannot be reached",
    grpc.StatusCode.DEADLINE_EXCEEDED: "does not answer in time",
    grpc.StatusCode.UNAUTHENTICATED: "refuses (UNAUTHENTICATED)",
    grpc.StatusCode.PERMISSION_DENIED: "refuses (PERMISSION_DENIED)",
}


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
        self._greeted = False

    def result(self, key: str) -> bytes:
        self._greet()
        return self._ask(reapi.GET_RESULT, self._instance.get_result(key))

    def has(self, digest: Digest) -> bool:
        self._greet()
        return not _read(reapi.missing, self._ask(reapi.FIND_MISSING, self._instance.find_missing(digest)))

    @contextmanager
    def blob(self, digest: Digest) -> Iterator[Readable]:
        read: grpc.UnaryStreamMultiCallable[bytes, bytes] = self._channel.unary_stream(reapi.READ)
        patience = self._patience.whole(digest.size)
        call = read(self._instance.read(digest), timeout=patience, metadata=self._metadata)
        try:
            yield _Pieces(call)
        finally:
            call.cancel()

    def put_blob(self, digest: Digest, source: bytes | str) -> None:
        write: grpc.StreamUnaryMultiCallable[bytes, bytes] = self._channel.stream_unary(reapi.WRITE)
        patience = self._patience.whole(digest.size)
        with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as stream:
            pieces = self._instance.write(digest, stream)
            answer = _asked(lambda: write(pieces, timeout=patience, metadata=self._metadata))
        # -1 and the whole size both mean that the server has it: somebody else may have been first.
        if _read(reapi.committed, answer) < digest.size:
            raise RemoteFailed("keeps only a part of what it is given")

    def put_result(self, key: str, data: bytes) -> None:
        self._ask(reapi.UPDATE_RESULT, self._instance.update_result(key, data))

    def close(self) -> None:
        self._channel.close()

    def _greet(self) -> None:
        """Once: a server that names blobs in another way would never have any."""
        with self._lock:
            if not self._greeted:
                answer = self._ask(reapi.GET_CAPABILITIES, self._instance.capabilities())
                if not _read(reapi.speaks_sha256, answer):
                    raise RemoteFailed("does not know SHA-256")
                self._greeted = True

    def _ask(self, method: str, request: bytes) -> bytes:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(method)
        return _asked(lambda: call(request, timeout=self._patience.answer, metadata=self._metadata))


class _Pieces:
    """The pieces of a blob as a stream."""

    def __init__(self, call: Iterator[bytes]) -> None:
        self._call = call
        self._left = b""

    def read(self, size: int, /) -> bytes:
        while not self._left:
            answer = _asked(lambda: next(self._call, None))
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


def _asked(call: Callable[[], T]) -> T:
    try:
        return call()
    except grpc.RpcError as error:
        code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
        if code is grpc.StatusCode.NOT_FOUND:
            raise RemoteAbsent(code.name) from None
        raise RemoteFailed(_REASONS.get(code, f"answers {code.name}")) from None


def _read(read: Callable[[bytes], T], answer: bytes) -> T:
    try:
        return read(answer)
    except WireError as error:
        raise RemoteFailed(f"gives an answer that {error}") from None
