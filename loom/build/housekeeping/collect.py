"""Tidies a store: results that were not used for long or do not fit go, then whatever no result names.

In: a store that nobody else uses, limits, keys that must stay. Out: what went.
Never: bytes that are still named, bytes that are new, or the results of this project's last run.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from loom.build.housekeeping.inventory import Entry, Item, blobs, entries, files, folders, trees
from loom.build.housekeeping.limits import GRACE, Keep
from loom.build.housekeeping.remove import empty, remove_file, remove_tree

STAMP = "gc.stamp"
TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# What Loom made and can make again.\n"


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
    old = [item for item in _kept_folders(root) if time_now - item.used > max(keep.age, GRACE)]
    gone = [item for item in old if remove_tree(item.path, root)]
    there = blobs(root)
    budget = _budget(root, keep, there)
    results = entries(root)
    laid = _oldest_trees(root, sum(item.size for item in there.values()) - budget, time_now)
    gone += [item for item in laid if remove_tree(item.path, root)]
    staying = _staying(results, there, keep, pinned, _budget(root, keep, there), time_now)
    dropped = [entry for entry in results if entry.key not in staying and remove_file(entry.item.path)]
    named = {blob.sha256 for entry in results if entry.key in staying for blob in entry.blobs or ()} | set(pinned)
    lost = [item for sha256, item in there.items() if sha256 not in named and _swept(item, time_now)]
    _mark_done(root)
    freed = sum(item.size for item in (*gone, *lost, *(entry.item for entry in dropped)))
    return Collected(len(dropped), len(lost), len(gone), freed, used(root))


def used(root: Path) -> int:
    """Bytes of everything in the store."""
    return sum(item.size for item in files(root))


def is_due(root: Path, keep: Keep) -> bool:
    """Whether it is worth a look: not within the hour, unless the disk is nearly full."""
    try:
        recent = time.time() - (root / STAMP).stat().st_mtime < GRACE
    except OSError:
        recent = False
    return not recent or _lacking(root, keep) > 0


def _lacking(root: Path, keep: Keep) -> int:
    """Bytes that must go for the disk to be as free as was asked for."""
    return max(0, keep.free - shutil.disk_usage(root).free)


def _budget(root: Path, keep: Keep, there: dict[str, Item]) -> int:
    """Bytes that blobs may take; what is laid out from them is counted first."""
    laid = sum(item.size for item in _kept_folders(root))
    return min(keep.size - laid, sum(item.size for item in there.values()) - _lacking(root, keep))


def _kept_folders(root: Path) -> list[Item]:
    """Toolchains' roots, trees laid out for actions, and what failed and was kept for people."""
    return [*folders(root / "roots"), *folders(root / "failed"), *trees(root)]


def _oldest_trees(root: Path, excess: int, now: float) -> Iterable[Item]:
    """Trees go before results do: each can be laid out again from blobs."""
    for item in sorted(trees(root), key=lambda item: item.used):
        if excess <= 0:
            return
        if now - item.used > GRACE:
            excess -= item.size
            yield item


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


def _mark_done(root: Path) -> None:
    (root / "CACHEDIR.TAG").write_bytes(TAG)
    (root / STAMP).touch()
    os.utime(root / STAMP)
