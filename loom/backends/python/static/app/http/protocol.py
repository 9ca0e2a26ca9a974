"""HTTP/1.1 as the server speaks it: what is no request at all is refused as problem+json, too."""

from __future__ import annotations

import asyncio
import re
import sys
from email.utils import formatdate
from http import HTTPStatus

import h11
from fastapi import FastAPI
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from app.errors import RequestTimeoutError
from app.http.middleware import REQUEST_ID
from app.http.problems import fault, problem
from app.identifiers import new_id
from app.service import HEAD_BYTES
from app.settings import Settings

_TOO_LARGE = f"Request head is larger than {HEAD_BYTES} bytes"
_DETAILS = {
    HTTPStatus.BAD_REQUEST: "Malformed HTTP request",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: _TOO_LARGE,
    HTTPStatus.NOT_IMPLEMENTED: "Transfer-Encoding must be chunked",
}
# How long a client has for the rest of a body that was answered without it.
_UNREAD_SECONDS = 0.5
_TOKEN = rb"[\w!#$%&'*+.^`|~-]+"
_TARGET = rb"(?:/|\*(?= )|[A-Za-z][A-Za-z0-9+.-]*://|(?<=^CONNECT ))[!-~]*"
_HEAD = re.compile(rb"%b %b HTTP/1\.[01](?:\r\n%b:[\t -~\x80-\xff]*)*" % (_TOKEN, _TARGET, _TOKEN))
# Half a line break is none, wherever a head breaks off.
_LONE_BREAK = re.compile(rb"\r(?=[^\n])|(?<!\r)\n")
# A value of an extension: a token, a quoted text, or both.
_VALUE = rb"[\w!#$%&'*+.^`|~-]*(?:\"(?:[\t -!#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*\")?"
_CHUNK = re.compile(rb"[0-9A-Fa-f]+(?:;(?:%b(?:=%b)?|=%b))*" % (_TOKEN, _VALUE, _VALUE))
_FRAMING = re.compile(rb"\r\n(content-length|transfer-encoding):([^\r]*)", re.IGNORECASE)


class StrictConnection(h11.Connection):
    """A connection whose parser refuses what others could read in another way."""

    _awaits_chunk = False

    def receive_data(self, data: bytes) -> None:
        """Takes data, of which there is some; empty lines in front of a request are none of it."""
        if self.their_state is h11.IDLE and not self.trailing_data[0]:
            data = data.lstrip(b"\r\n")
        if data:
            super().receive_data(data)

    def next_event(self) -> h11.Event | type[h11.NEED_DATA | h11.PAUSED]:
        if self.their_state is h11.IDLE:
            _check(self.trailing_data[0])
        elif self._awaits_chunk:
            self._awaits_chunk = not _has_chunk(self.trailing_data[0])
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._awaits_chunk = any(name == b"transfer-encoding" for name, _ in event.headers)
        elif isinstance(event, h11.Data):
            self._awaits_chunk = event.chunk_end
        return event


def _check(received: bytes) -> None:
    """Raises when what was received can be no head, or the beginning of none."""
    head, end, _ = received.partition(b"\r\n\r\n")
    if len(head) > HEAD_BYTES:
        raise h11.RemoteProtocolError("head too large", error_status_hint=431)
    if _LONE_BREAK.search(head) or (end and not _is_head(head)):
        raise h11.RemoteProtocolError("no head")


def _has_chunk(received: bytes) -> bool:
    """Whether the line that a chunk begins with has arrived; raises when it can be none."""
    # The end of the chunk before may be there still, or half of it.
    rest = received.removeprefix(b"\r").removeprefix(b"\n")
    line, end, _ = rest.partition(b"\r\n")
    if len(line.partition(b";")[2]) > HEAD_BYTES or (end and not _CHUNK.fullmatch(line)):
        raise h11.RemoteProtocolError("no chunk")
    return bool(end)


def _is_head(head: bytes) -> bool:
    framing = [(name.lower(), value) for name, value in _FRAMING.findall(head)]
    lengths = [value for name, value in framing if name == b"content-length"]
    is_ambiguous = any(b"," in length for length in lengths) or len(framing) > len(lengths) > 0
    return _HEAD.fullmatch(head) is not None and len(lengths) < 2 and not is_ambiguous


class Protocol(asyncio.Protocol):
    """One connection, as the event loop sees it."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._requests = Requests(config, server_state, app_state, _loop)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._requests.begin(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._requests.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._requests.data_received(data)

    def eof_received(self) -> bool:
        return self._requests.has_heard_all()

    def pause_writing(self) -> None:
        self._requests.pause_writing()

    def resume_writing(self) -> None:
        self._requests.resume_writing()


class Requests(H11Protocol):
    """The requests of one connection."""

    _late: asyncio.TimerHandle | None = None
    _is_half_closed = False

    def begin(self, transport: asyncio.Transport) -> None:
        self.connection_made(transport)
        self.conn = StrictConnection(h11.SERVER, HEAD_BYTES)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)
            self._watch()

    def has_heard_all(self) -> bool:
        """A client that has said all still listens to its answers; True while there are some."""
        self._is_half_closed = True
        state = self.conn.their_state
        if state is h11.SEND_BODY or (state is h11.IDLE and self.conn.trailing_data[0]):
            self._refuse(HTTPStatus.BAD_REQUEST, _DETAILS[HTTPStatus.BAD_REQUEST])
        return state is not h11.IDLE and not self.transport.is_closing()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete:
            self.loop.call_later(_UNREAD_SECONDS, self._leave_unread, self.cycle)
        if self._is_half_closed and not self.has_heard_all():
            self.transport.close()
        self._watch()

    def _leave_unread(self, answered: RequestResponseCycle) -> None:
        """Ends a connection on which the body of an answered request still arrives."""
        if self.cycle is answered and self.conn.their_state is h11.SEND_BODY:
            self.transport.close()

    def _watch(self) -> None:
        """The first head has its time from the start, any other from its first byte."""
        is_idle = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if not (is_idle and (self.cycle is None or self.conn.trailing_data[0])):
            self._unwatch()
        elif self._late is None:
            seconds = _settings(self.config).request_seconds
            self._late = self.loop.call_later(seconds, self._expire, seconds)

    def _unwatch(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _expire(self, seconds: int) -> None:
        self._refuse(HTTPStatus.REQUEST_TIMEOUT, RequestTimeoutError(seconds).detail)

    def send_400_response(self, msg: str) -> None:
        """Called while the error of the parser is handled, which says what it is."""
        error = sys.exception()
        hint = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        status = HTTPStatus(hint) if hint in _DETAILS else HTTPStatus.BAD_REQUEST
        self._refuse(status, _DETAILS[status])

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        """Nothing that follows on this connection can be understood."""
        fault("warn", "client_error", detail)
        current = self.cycle
        is_answered = current is not None and current.more_body and current.response_started
        if not is_answered:
            self.transport.write(_refusal(status, detail))
        self.transport.close()


def _settings(config: Config) -> Settings:
    assert isinstance(config.app, FastAPI)
    settings: Settings = config.app.state.settings
    return settings


def _refusal(status: HTTPStatus, detail: str) -> bytes:
    answer = problem(status, status.phrase, detail, "")
    answer.headers[REQUEST_ID] = new_id()
    answer.headers["date"] = formatdate(usegmt=True)
    answer.headers["connection"] = "close"
    lines = [b"HTTP/1.1 %d %s" % (status, status.phrase.encode())]
    lines += [name + b": " + value for name, value in answer.raw_headers]
    return b"\r\n".join([*lines, b"", bytes(answer.body)])
