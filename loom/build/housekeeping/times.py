"""How long results took when they were made, and how that is told.

In: keys. Out: milliseconds, as far as the store still tells; text. Never: a time of this run.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.build.store.atomic import Json
from loom.build.store.results import ResultStore


def took(results: ResultStore, keys: Iterable[str]) -> int:
    """Milliseconds that all these results took together."""
    entries = [results.read(key) for key in keys]
    return sum(_milliseconds(entry.get("meta")) for entry in entries if entry is not None)


def seconds(milliseconds: int) -> str:
    """A time for people."""
    return f"{milliseconds / 1000:.1f} s" if milliseconds < 60_000 else f"{milliseconds / 60_000:.1f} min"


def _milliseconds(meta: Json) -> int:
    found = meta.get("milliseconds") if isinstance(meta, dict) else None
    return found if isinstance(found, int) else 0
