"""How much went to and fro, and what came of it, for the line at the end of a run.

In: events of any thread. Out: totals. Never: a decision.
"""

from __future__ import annotations

import threading
from typing import NamedTuple


class Totals(NamedTuple):
    down: int = 0
    """Bytes."""
    up: int = 0
    sent: int = 0
    """Results."""


class Traffic:
    """`fetched` are the keys whose results came from elsewhere in this run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._totals = Totals()
        self.fetched: set[str] = set()

    @property
    def totals(self) -> Totals:
        return self._totals

    def add(self, *, down: int = 0, up: int = 0, sent: int = 0) -> None:
        with self._lock:
            now = self._totals
            self._totals = Totals(now.down + down, now.up + up, now.sent + sent)
