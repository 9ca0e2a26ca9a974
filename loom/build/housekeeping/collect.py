"""Tidies a store: results that were not used for long or do not fit go, then whatever no result names.

In: a store that nobody else uses, limits, keys that must stay. Out: what went.
Never: bytes that are still named, bytes that are new, or the results of this project's last run.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from loom.build.housekeeping.inventory import Entry, Item, blobs, entries, files, folders, trees
from loom.build.housekeeping.limits import GRACE, Keep
from loom.build.housekeeping.mark import lacking, mark_tidy
from loom.build.housekeeping.remove import empty, remove_file, remove_tree


class Collected(NamedTuple):
    """How many went, how many bytes that is, and how many bytes are left."""

    results: int
    blobs: int
    folders: int
    freed: int
    left: int


def collect(root: Path, keep: Keep, pinned: Collection[str], now: float | None = None) -> Collected:
    """The caller holds the store alone; `pinned` are keys and digests.

    A clock that went backwards makes things young, never old.
    """
    time_now = time.time() if now is None else now
    _litter(root, time_now)
    laid, there, results = _kept_folders(root), blobs(root), entries(root)
    before = sum(item.size for item in (*laid, *there.values(), *(entry.item for entry in results)))
    gone = [item for item in laid if time_now - item.used > max(keep.age, GRACE) and remove_tree(item.path, root)]
    laid = [item for item in laid if item not in gone]
    stored = sum(item.size for item in there.values())
    gone += _without_trees(root, laid, stored - _budget(root, keep, laid, stored), time_now)
    laid = [item for item in laid if item not in gone]
    staying = _staying(results, there, keep, pinned, _budget(root, keep, laid, stored), time_now)
    dropped = [entry for entry in results if entry.key not in staying and remove_file(entry.item.path)]
    named = {blob.sha256 for entry in results if entry.key in staying for blob in entry.blobs or ()} | set(pinned)
    lost = [item for sha256, item in there.items() if sha256 not in named and _swept(item, time_now)]
    mark_tidy(root)
    freed = sum(item.size for item in (*gone, *lost, *(entry.item for entry in dropped)))
    return Collected(len(dropped), len(lost), len(gone), freed, before - freed)


def _budget(root: Path, keep: Keep, laid: list[Item], stored: int) -> int:
    """Bytes that blobs may take of the `stored` ones; what is laid out from them is counted first."""
    return min(keep.size - sum(item.size for item in laid), stored - lacking(root, keep))


def _kept_folders(root: Path) -> list[Item]:
    """Toolchains' roots, trees laid out for actions, and what failed and was kept for people."""
    return [*folders(root / "roots"), *folders(root / "failed"), *trees(root)]


def _without_trees(root: Path, laid: list[Item], excess: int, now: float) -> list[Item]:
    """Trees go before results do, the oldest first: each can be laid out again from blobs."""
    gone = []
    for item in sorted(laid, key=lambda item: item.used):
        is_old = item.path.startswith(f"{root}/trees/") and now - item.used > GRACE
        if excess > 0 and is_old and remove_tree(item.path, root):
            gone.append(item)
            excess -= item.size
    return gone


def _staying(
    results: list[Entry], there: dict[str, Item], keep: Keep, pinned: Collection[str], budget: int, now: float
) -> set[str]:
    """Keys, the last used first, as long as there is room; those that are pinned or new in any case."""
    staying: set[str] = set()
    counted: set[str] = set()
    total, full = 0, False
    for entry in results:
        if entry.blobs is None:
            continue
        fresh = {blob.sha256 for blob in entry.blobs} - counted
        size = sum(there[sha256].size for sha256 in fresh if sha256 in there)
        must = entry.key in pinned or now - entry.item.used <= GRACE
        full = full or total + size > budget
        if must or (not full and now - entry.item.used <= keep.age):
            staying.add(entry.key)
            counted |= fresh
            total += size
    return staying


def _swept(item: Item, now: float) -> bool:
    """A blob may be younger than the result that will name it."""
    return now - item.used > GRACE and remove_file(item.path)


def _litter(root: Path, now: float) -> None:
    """What processes left that were killed."""
    for name in ("tmp", "work", "trash", "locks"):
        for item in folders(root / name):
            if now - item.used > GRACE:
                remove_tree(item.path, root)
    for item in files(root / "cas"):
        if item.path.endswith(".bad") and now - item.used > GRACE:
            remove_file(item.path)
    empty(root / "trash")
