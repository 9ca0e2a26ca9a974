"""A line to a server that can be cut without a word: what is sent is taken, and goes nowhere."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Cable:
    """`address` leads to the server until `cut` is set; connections are taken afterwards, too."""

    def __init__(self, address: str, listening: socket.socket) -> None:
        scheme, _, target = address.partition("://")
        host, _, port = target.partition(":")
        self.address = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
        self.cut = threading.Event()
        self._target = host, int(port)
        self._listening = listening
        self._ends: list[socket.socket] = []

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(self._target)
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                if not self.cut.is_set():
                    other.sendall(data)
            if not self.cut.is_set():
                other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for end in self._ends:
            end.close()


@contextlib.contextmanager
def cable(address: str) -> Iterator[Cable]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made = Cable(address, listening)
        threading.Thread(target=made.serve, daemon=True).start()
        try:
            yield made
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            made.close()
