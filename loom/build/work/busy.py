"""Which tasks are at work just now, so that whoever ends a run can wait until they have cleared up.

In: tasks that begin and end, in any thread. Out: a wait with an end. Never: a task that begins after the run was ended.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Ended(Exception):
    """The run is over, so nothing begins any more."""


class Busy:
    """Of one run."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._is_over = False

    @contextmanager
    def one(self) -> Iterator[None]:
        """One task at work; Ended when the run is over."""
        with self._changed:
            if self._is_over:
                raise Ended
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._is_over = True

    def wait(self, seconds: float) -> bool:
        """Whether all came to their end in that time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._count, seconds)
