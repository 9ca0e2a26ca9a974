"""What this run has found out about the blobs of a place.

In: what was asked, given and taken, by any thread. Out: whether asking again can be spared.
Never: more than a run remembers: a place may tidy up at any time, and a result whose blobs are gone is a miss.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from loom.base import Digest


class Known:
    """A blob that was doubted once is sent again, whatever the place says of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._there: set[Digest] = set()
        self._doubted: set[Digest] = set()

    def there(self, digests: Iterable[Digest]) -> None:
        found = set(digests)
        with self._lock:
            self._there |= found
            self._doubted -= found

    def doubt(self, digests: Iterable[Digest]) -> None:
        found = set(digests)
        with self._lock:
            self._there -= found
            self._doubted |= found

    def unsure(self, digests: Iterable[Digest]) -> None:
        """Whether these are there is to be asked again."""
        with self._lock:
            self._there -= set(digests)

    def doubted(self, digests: Iterable[Digest]) -> set[Digest]:
        with self._lock:
            return self._doubted.intersection(digests)

    def open(self, digests: Iterable[Digest]) -> list[Digest]:
        """Those of which nothing is known, in order."""
        with self._lock:
            return sorted(set(digests) - self._there - self._doubted)
