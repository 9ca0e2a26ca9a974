"""Whether files are still as they were, for the price of one `stat` each.

In: paths. Out: what `stat` says of them now. Never: content, or trust in a file that changed a moment ago.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

# Size, mtime, ctime, inode; None when there is nothing of that name.
Stamp = tuple[int, int, int, int] | None

# A file changed this recently may change again without a new stamp: file systems count time in ticks.
TICK_NS = 20_000_000
_SECOND_NS = 1_000_000_000
NEVER: Stamp = (-1, -1, -1, -1)
"""Of no file."""


def stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def unchanged(stamps: Mapping[str, Stamp]) -> bool:
    return all(stamp(path) == known for path, known in stamps.items())


def settled(stamps: Mapping[str, Stamp]) -> dict[str, Stamp]:
    """The same stamps, those that are too young to trust replaced by one that nothing has."""
    now = time.time_ns()
    return {path: NEVER if known and is_young(max(known[1:3]), now) else known for path, known in stamps.items()}


def is_young(changed: int, now: int) -> bool:
    """Whether what changed at that time may change again without a new stamp.

    A file system that only ever shows whole seconds counts in seconds, or in pairs of them.
    """
    return changed > now - (TICK_NS if changed % _SECOND_NS else 2 * _SECOND_NS)


def folder_stamps(root: str) -> dict[str, Stamp]:
    """Every file and folder below `root`, and `root` itself; byte code aside. Links are followed, each place once.

    kept by tests/engine/core/test_never_wrong.py::test_rule_behind_a_link_counts
    """
    found = {root: stamp(root)}
    places = {os.path.realpath(root)}
    for folder, folders, files in os.walk(root, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__" and _is_new(f"{folder}/{name}", places)]
        for name in (*folders, *files):
            found[f"{folder}/{name}"] = stamp(f"{folder}/{name}")
    return found


def _is_new(folder: str, places: set[str]) -> bool:
    """Whether a folder is none that a link has led to before."""
    if not os.path.islink(folder):
        return True
    place = os.path.realpath(folder)
    is_new = place not in places
    places.add(place)
    return is_new
