"""How long results took when they were made.

In: keys. Out: milliseconds, as far as the store still tells. Never: a time of this run.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.build.store.atomic import Json
from loom.build.store.results import ResultStore


def took(results: ResultStore, keys: Iterable[str]) -> int:
    """Milliseconds that all these results took together."""
    entries = [results.read(key) for key in keys]
    return sum(_milliseconds(entry.get("meta")) for entry in entries if entry is not None)


def _milliseconds(meta: Json) -> int:
    found = meta.get("milliseconds") if isinstance(meta, dict) else None
    return found if isinstance(found, int) else 0
