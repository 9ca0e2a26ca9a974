"""A connection to a server that speaks gRPC: questions, streams, and what their failures mean.

In: methods and requests as bytes. Out: answers as bytes.
Never: a proxy of the environment, more waiting than was agreed, or the words of a server.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from loom.build.remote.credentials import TlsFiles
from loom.build.remote.places.transport import Patience, RemoteAbsent, RemoteBroke, RemoteFailed
from loom.build.remote.protocol.wire import WireError

# Its threads would else be looked after at every fork, with a warning for each sandbox.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
import grpc

T = TypeVar("T")
# A server that was started again is found within seconds, not minutes; signs of life are asked for without an end.
_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2000),
    ("grpc.http2.max_pings_without_data", 0),
)
_FAREWELL = 2.0
_REASONS = {
    grpc.StatusCode.UNAVAILABLE: "cannot be reached",
    grpc.StatusCode.DEADLINE_EXCEEDED: "does not answer in time",
    grpc.StatusCode.UNAUTHENTICATED: "refuses (UNAUTHENTICATED)",
    grpc.StatusCode.PERMISSION_DENIED: "refuses (PERMISSION_DENIED)",
}
_STATUS: dict[int, grpc.StatusCode] = {status.value[0]: status for status in grpc.StatusCode}


class Answers(Protocol):
    """Of one call, as they come; whoever reads them meets grpc.RpcError."""

    def __iter__(self) -> Iterator[bytes]: ...

    def __next__(self) -> bytes: ...

    def cancel(self) -> object: ...


class Line:
    """One channel for all threads. `tls` is None for `grpc:`."""

    def __init__(self, target: str, token: str, tls: TlsFiles | None, patience: Patience) -> None:
        self.patience = patience
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._channel = _channel(target, tls, patience)

    def ask(self, method: str, request: bytes, size: int = 0, *, may_lack: bool = False) -> bytes:
        """`size` bytes of blobs go to or fro; `may_lack` says that NOT_FOUND is an answer and no failure."""
        return self._ask(method, request, self.patience.whole(size), may_lack=may_lack)

    def tell(self, method: str, request: bytes) -> None:
        """What may go unheard: nobody waits for long."""
        with contextlib.suppress(RemoteFailed):
            self._ask(method, request, _FAREWELL)

    def _ask(self, method: str, request: bytes, timeout: float, *, may_lack: bool = False) -> bytes:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(method)
        return asked(lambda: call(request, timeout=timeout, metadata=self._metadata), may_lack=may_lack)

    def stream(self, method: str, request: bytes, timeout: float) -> Answers:
        call: grpc.UnaryStreamMultiCallable[bytes, bytes] = self._channel.unary_stream(method)
        return call(request, timeout=timeout, metadata=self._metadata)

    def send(self, method: str, pieces: Iterator[bytes], size: int) -> bytes:
        """One answer to `size` bytes that are given piece by piece."""
        call: grpc.StreamUnaryMultiCallable[bytes, bytes] = self._channel.stream_unary(method)
        timeout = self.patience.whole(size)
        return asked(lambda: call(pieces, timeout=timeout, metadata=self._metadata))

    def close(self) -> None:
        self._channel.close()


def _channel(target: str, tls: TlsFiles | None, patience: Patience) -> grpc.Channel:
    """A network that falls silent is noticed, however long an answer may take.

    kept by tests/engine/remote/test_hostile_streams.py::test_network_that_falls_silent_is_noticed
    """
    options = (
        *_OPTIONS,
        ("grpc.min_reconnect_backoff_ms", int(patience.connect * 1000)),
        ("grpc.keepalive_time_ms", int(patience.idle * 1000)),
        ("grpc.keepalive_timeout_ms", int(patience.answer * 1000)),
        ("grpc.http2.ping_timeout_ms", int(patience.answer * 1000)),
    )
    if tls is None:
        return grpc.insecure_channel(target, options)
    found = grpc.ssl_channel_credentials(tls.ca or None, tls.key or None, tls.certificate or None)
    return grpc.secure_channel(target, found, options)


def asked(call: Callable[[], T], *, may_lack: bool = False) -> T:
    """What `call` gives; RemoteFailed, or RemoteAbsent, for its RpcError."""
    try:
        return call()
    except grpc.RpcError as error:
        raise failure(status_of(error), may_lack=may_lack) from None


def status_of(error: grpc.RpcError) -> grpc.StatusCode:
    return error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN


def status(code: int) -> grpc.StatusCode:
    """Of the number that a google.rpc.Status holds."""
    return _STATUS.get(code, grpc.StatusCode.UNKNOWN)


def failure(code: grpc.StatusCode, *, may_lack: bool = False) -> Exception:
    if may_lack and code is grpc.StatusCode.NOT_FOUND:
        return RemoteAbsent(code.name)
    kind = RemoteBroke if code is grpc.StatusCode.UNAVAILABLE else RemoteFailed
    return kind(_REASONS.get(code, f"answers {code.name}"))


def understood(read: Callable[[bytes], T], answer: bytes) -> T:
    """RemoteFailed for an answer that is no such message."""
    try:
        return read(answer)
    except WireError as error:
        raise RemoteFailed(f"gives an answer that {error}") from None
