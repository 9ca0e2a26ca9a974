"""Ports for servers that a test starts.

Out: a port on loopback that nobody listens on.
Never: one that was handed out before in this process, or that the kernel gives to whoever connects.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import suppress

# Linux gives 32768 and more to whoever asks for any port, so a port from there may be taken before a server binds it.
_CANDIDATES = range(20_000, 32_000)


def free_port() -> int:
    """A port that could be bound a moment ago; AssertionError when there is none left."""
    for port in _UNTRIED:
        with suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError(f"none of the {len(_CANDIDATES):,} ports for tests is free")


def _shuffled() -> Iterator[int]:
    """Every candidate once; two test runs on one machine seldom try the same."""
    yield from random.SystemRandom().sample(_CANDIDATES, len(_CANDIDATES))


_UNTRIED = _shuffled()
