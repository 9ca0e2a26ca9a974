"""Stops asking a place that keeps failing.

In: how each attempt went. Out: whether to try again. Never: more than one attempt at a time while it is open.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FAILURES = 3
PAUSE = 30.0


class Breaker:
    """Opens after FAILURES in a row; after each PAUSE one attempt is let through, which decides."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._again = 0.0

    def allows(self) -> bool:
        with self._lock:
            if self._failures < FAILURES:
                return True
            if self._clock() < self._again:
                return False
            self._again = self._clock() + PAUSE
            return True

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._again = self._clock() + PAUSE

    def worked(self) -> None:
        with self._lock:
            self._failures = 0
