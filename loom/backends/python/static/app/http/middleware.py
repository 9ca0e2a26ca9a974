"""Around every request: its id, its log lines, its metrics, and the answer to a crash."""

from __future__ import annotations

import re
from asyncio import CancelledError
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.paths import routed_path, sent_path
from app.http.problems import problem
from app.identifiers import new_id
from app.log import log, log_exception
from app.metrics import domain_faults, http_duration, http_requests
from app.request_frame import RequestFrame, current_frame

REQUEST_ID = "x-request-id"
# Those that metrics tell apart; anybody can make up others.
_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
_USABLE_ID = re.compile(r"[\x21-\x7e]{1,128}")


class RequestFrameMiddleware:
    """Opens the frame of a request and closes it with a log line."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        received_id = Headers(scope=scope).get(REQUEST_ID, "")
        frame = RequestFrame(received_id if _USABLE_ID.fullmatch(received_id) else new_id())
        routed = {**scope, "path": routed_path(scope)}
        token = current_frame.set(frame)
        try:
            await _Exchange(self.app, routed, receive, send, frame.request_id).run()
        finally:
            current_frame.reset(token)


class _Exchange:
    """One request and its answer."""

    def __init__(
        self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, request_id: str
    ) -> None:
        self._app = app
        self._scope = scope
        self._receive = receive
        self._send = send
        self._request_id = request_id
        self._status = 0

    async def run(self) -> None:
        method, path = self._scope["method"], sent_path(self._scope)
        log("info", "request_start", method=method, path=path)
        started = perf_counter()
        try:
            await self._app(self._scope, self._receive, self._answer)
        except (Exception, CancelledError):
            # Cancelled is what still runs when the service ends.
            await self._crashed()
        seconds = perf_counter() - started
        route = getattr(self._scope.get("route"), "path", "unmatched")
        label = method if method in _METHODS else "OTHER"
        http_requests.labels(label, route, self._status).inc()
        http_duration.labels(label, route).observe(seconds)
        fields = {"status": self._status, "duration_ms": round(seconds * 1000, 1)}
        log("info", "request_end", method=method, path=path, **fields)

    async def _answer(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = self._request_id
            if self._scope["app"].state.is_stopping:
                headers["connection"] = "close"  # the client asks another replica next
        await self._send(message)

    async def _crashed(self) -> None:
        log_exception("internal_error")
        domain_faults.labels("internal_error").inc()
        if self._status == 0:
            answer = problem(500, "Internal Server Error", "internal", sent_path(self._scope))
            await answer(self._scope, self._receive, self._answer)
