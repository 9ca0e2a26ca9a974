"""A cache server that does as it is told, wrongly: the one thing that no real server can be asked to be."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Asked(BaseHTTPRequestHandler):
    """One request. `kind` is `ac` or `cas`."""

    protocol_version = "HTTP/1.1"
    server: Liar

    def _answer(self) -> None:
        _, self.kind, self.name = self.path.split("/")
        self.server.asked.append((self.command, self.kind, self.headers.get("Authorization", "")))
        self.sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with contextlib.suppress(ConnectionError):
            self.server.twist(self)

    do_GET = do_PUT = do_HEAD = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    @property
    def stored(self) -> bytes | None:
        return self.server.stored.get((self.kind, self.name))

    def honest(self) -> None:
        if self.command == "PUT":
            self.server.stored[self.kind, self.name] = self.sent
            self.say(201, b"")
        elif self.stored is None:
            self.say(404, b"not here")
        else:
            self.say(200, self.stored)

    def say(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        length = headers.pop("length", str(len(body)))
        for name, value in {"Content-Length": length, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


Twist = Callable[[Asked], None]


class Liar(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.stored: dict[tuple[str, str], bytes] = {}
        self.asked: list[tuple[str, str, str]] = []
        self.twist: Twist = Asked.honest
        self.ended = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextlib.contextmanager
def liar() -> Iterator[Liar]:
    server = Liar()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
