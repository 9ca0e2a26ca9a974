"""Bazel's HTTP cache: GET, HEAD and PUT of `/ac/<action>` and `/cas/<sha256>`, on connections that stay open.

In: digests. Out: bytes. Never: a redirect followed (it would carry the token elsewhere), a proxy of the environment,
content that is encoded, or more waiting than was agreed.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple
from urllib.parse import quote, urlsplit

from loom.base import Digest
from loom.build.remote.credentials import Credentials
from loom.build.remote.places.deadline import Deadline, TimedBody, TimedSocket
from loom.build.remote.places.loads import Load, one_by_one
from loom.build.remote.places.transport import (
    PATIENCE,
    RESULT_LIMIT,
    Parcel,
    Patience,
    RemoteAbsent,
    RemoteFailed,
    RemoteTooLarge,
    Taken,
)
from loom.build.store.atomic import CHUNK

_PIECE = 64 << 10
_STALE = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)
_BROKEN = (OSError, http.client.HTTPException, ValueError)
_DONE = frozenset({200, 201, 204})


class Sent(NamedTuple):
    """A request. `body` is bytes or the path of a file, which is opened anew for each attempt."""

    verb: str
    path: str
    size: int = 0
    body: bytes | str = b""


class Body:
    """The content of an answer; `length` is what its header says, if it does."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        length = response.getheader("Content-Length", "")
        self.length = int(length) if length.isdecimal() else None

    def read(self, size: int, /) -> bytes:
        try:
            return self._response.read1(min(size, _PIECE))
        except _BROKEN as error:
            raise RemoteFailed(_reason(error)) from error

    def end(self) -> bool:
        """Whether it was read to its end: only then is the connection usable again."""
        over = self._response.isclosed() or self._response.length == 0
        self._response.close()
        return over


class HttpTransport:
    """One connection a thread; `https` checks names and certificates."""

    questions = loads = staticmethod(one_by_one)

    def __init__(self, address: str, credentials: Credentials, patience: Patience = PATIENCE) -> None:
        parts = urlsplit(address)
        self.name = address
        self._host, self._port = parts.hostname or "", parts.port
        self._tls = credentials.tls if parts.scheme == "https" else None
        self._path = quote(parts.path.rstrip("/"), safe="/%")
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "loom", **credentials.headers()}
        self._patience = patience
        self._local = threading.local()
        self._opened: list[http.client.HTTPConnection] = []
        self._closed = False

    def result(self, action: Digest) -> bytes:
        with self._answered(Sent("GET", f"/ac/{action.sha256}")) as body:
            return _whole(body, RESULT_LIMIT)

    def lacking(self, load: Load) -> set[Digest]:
        return {digest for digest in load if not self._has(digest)}

    def take(self, load: Load) -> Taken:
        for digest in load:
            with self._answered(Sent("GET", f"/cas/{digest.sha256}", digest.size)) as body:
                yield digest, body

    def give(self, parcels: Sequence[Parcel]) -> None:
        for digest, source in parcels:
            with self._answered(Sent("PUT", f"/cas/{digest.sha256}", digest.size, source)) as body:
                _whole(body, _PIECE)

    def put_result(self, action: Digest, data: bytes) -> None:
        with self._answered(Sent("PUT", f"/ac/{action.sha256}", len(data), data)) as body:
            _whole(body, _PIECE)

    def close(self) -> None:
        """Wakes whoever still waits for an answer, and lets nobody ask again."""
        self._closed = True
        for connection in self._opened:
            connected = connection.sock
            if connected is not None:
                with contextlib.suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _has(self, digest: Digest) -> bool:
        """A blob of another size is none: it can be sent again."""
        try:
            with self._answered(Sent("HEAD", f"/cas/{digest.sha256}")) as body:
                return body.length in (None, digest.size)
        except RemoteAbsent:
            return False

    @contextmanager
    def _answered(self, sent: Sent) -> Iterator[Body]:
        """RemoteAbsent for a plain no, RemoteFailed for all that is no plain yes."""
        deadline, connection = Deadline(self._patience, sent.size), self._connection()
        usable = False
        try:
            response = self._exchange(connection, sent, deadline)
            body = Body(response)
            if response.status == http.client.NOT_FOUND and sent.verb != "PUT":
                _whole(body, _PIECE)
                usable = body.end()
                raise RemoteAbsent(sent.path)
            _accept(response)
            yield body
            usable = body.end()
        finally:
            if not usable:
                connection.close()

    def _exchange(
        self, connection: http.client.HTTPConnection, sent: Sent, deadline: Deadline
    ) -> http.client.HTTPResponse:
        """Once more when a connection that stood idle turns out to be closed."""
        idle = connection.sock is not None
        try:
            try:
                return self._attempt(connection, sent, deadline)
            except _STALE:
                if not idle:
                    raise
                connection.close()
                return self._attempt(connection, sent, deadline)
        except _BROKEN as error:
            raise RemoteFailed(_reason(error)) from error

    def _attempt(
        self, connection: http.client.HTTPConnection, sent: Sent, deadline: Deadline
    ) -> http.client.HTTPResponse:
        if connection.sock is None:
            connection.connect()
        if self._closed:  # whoever closes may have come before this connection was there to be woken
            raise ConnectionAbortedError
        connected = connection.sock
        connected.settimeout(deadline.left())
        timed = TimedSocket(connected, deadline)
        answer = http.client.HTTPResponse
        # It is called and nothing else; the stubs want a class, and a socket where a file can be made of this.
        connection.response_class = lambda _, **named: answer(timed, **named)  # type: ignore[assignment,arg-type]
        if sent.verb == "PUT":
            headers = {**self._headers, "Content-Length": str(sent.size)}
            with _open(sent.body) as stream:
                body = TimedBody(stream, connected, deadline)
                connection.request("PUT", self._path + sent.path, body=body, headers=headers)
        else:
            connection.request(sent.verb, self._path + sent.path, headers=self._headers)
        return connection.getresponse()

    def _connection(self) -> http.client.HTTPConnection:
        """This thread's own."""
        known: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if known is None:
            known = self._local.connection = self._made()
            self._opened.append(known)
        return known

    def _made(self) -> http.client.HTTPConnection:
        patience = self._patience.connect
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=patience, blocksize=CHUNK)
        return http.client.HTTPSConnection(self._host, self._port, timeout=patience, blocksize=CHUNK, context=self._tls)


def _accept(response: http.client.HTTPResponse) -> None:
    status = response.status
    if 300 <= status < 400:
        raise RemoteFailed(f"answers {status}, a redirect; give the final address")
    if status == http.client.REQUEST_ENTITY_TOO_LARGE:
        raise RemoteTooLarge
    if status in (401, 403):
        raise RemoteFailed(f"refuses ({status})")
    if status not in _DONE:
        raise RemoteFailed(f"answers {status}")
    if response.getheader("Content-Encoding", "identity") != "identity":
        raise RemoteFailed("encodes what it was asked to send as it is")


def _whole(body: Body, most: int) -> bytes:
    """All of an answer that must be small."""
    data = bytearray()
    while piece := body.read(_PIECE):
        data += piece
        if len(data) > most:
            raise RemoteFailed("sends more than it may")
    return bytes(data)


def _open(body: bytes | str) -> BinaryIO:
    return io.BytesIO(body) if isinstance(body, bytes) else open(body, "rb")


def _reason(error: Exception) -> str:
    """Never the text of an answer: it is somebody else's."""
    match error:
        case TimeoutError():
            return "does not answer in time"
        case ssl.SSLCertVerificationError():
            return f"has a certificate that is not accepted: {error.verify_message}"
        case ssl.SSLError():
            return f"TLS failed: {error.reason}"
        case OSError():
            return f"cannot be reached: {error.strerror or type(error).__name__}"
        case _:
            return f"does not speak HTTP: {type(error).__name__}"
