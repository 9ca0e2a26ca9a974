"""HTTP/1.1 as the server speaks it: what is no request at all is refused as problem+json, too."""

from __future__ import annotations

import sys
from email.utils import formatdate
from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.http.middleware import REQUEST_ID
from app.http.problems import fault, problem
from app.identifiers import new_id

HEAD_LIMIT = 16384
_DETAILS = {
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: f"Request head is larger than {HEAD_LIMIT} bytes",
    HTTPStatus.NOT_IMPLEMENTED: "Transfer-Encoding must be chunked",
}


class Protocol(H11Protocol):
    """One connection."""

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is h11.IDLE and _is_large(self.conn.trailing_data[0] + data):
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif not self.transport.is_closing():
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Called while the error of the parser is handled, which says what it is."""
        error = sys.exception()
        hint = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        status = HTTPStatus(hint)
        self._refuse(status if status in _DETAILS else HTTPStatus.BAD_REQUEST)

    def _refuse(self, status: HTTPStatus) -> None:
        """Nothing that follows on this connection can be understood."""
        detail = _DETAILS.get(status, "Malformed HTTP request")
        fault("warn", "client_error", detail)
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(_refusal(status, detail))
        self.transport.close()


def _is_large(received: bytes | bytearray) -> bool:
    head, _, _ = received.partition(b"\r\n\r\n")
    return len(head) > HEAD_LIMIT


def _refusal(status: HTTPStatus, detail: str) -> bytes:
    answer = problem(status, status.phrase, detail, "")
    answer.headers[REQUEST_ID] = new_id()
    answer.headers["date"] = formatdate(usegmt=True)
    answer.headers["connection"] = "close"
    lines = [b"HTTP/1.1 %d %s" % (status, status.phrase.encode())]
    lines += [name + b": " + value for name, value in answer.raw_headers]
    return b"\r\n".join([*lines, b"", bytes(answer.body)])
