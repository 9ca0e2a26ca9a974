"""What runs in a sandbox just now, and how each is ended from another thread.

In: ways to end. Out: all of them taken, when a run is interrupted. Never: a job that outlives that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

End = Callable[[], object]


class Running:
    """Of one sandbox."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends: list[End] = []
        self._is_over = False

    @contextmanager
    def listed(self, end: End) -> Iterator[None]:
        """`end` is called when all is to stop, also if that was said before."""
        with self._lock:
            self._ends.append(end)
            is_over = self._is_over
        try:
            if is_over:
                end()
            yield
        finally:
            with self._lock:
                self._ends.remove(end)

    def stop(self) -> None:
        """Every job comes back, as one that failed."""
        with self._lock:
            self._is_over = True
            ends = list(self._ends)
        for end in ends:
            end()
