"""What a task spends its time on, phase by phase.

In: phases that begin and end in the thread of their task. Out: those of one task, in the order in which they ended.
Never: a phase of another task, or a record where nobody asked for one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Phase(NamedTuple):
    """By the clock that only goes on, in nanoseconds."""

    name: str
    begun: int
    ended: int


_WATCHED: ContextVar[list[Phase] | None] = ContextVar("phases", default=None)


@contextmanager
def watched() -> Iterator[list[Phase]]:
    """The list grows with each phase that ends in this thread until the block does."""
    found: list[Phase] = []
    token = _WATCHED.set(found)
    try:
        yield found
    finally:
        _WATCHED.reset(token)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """The block is one phase, however it ends."""
    begun = time.monotonic_ns()
    try:
        yield
    finally:
        found = _WATCHED.get()
        if found is not None:
            found.append(Phase(name, begun, time.monotonic_ns()))
