"""Whether files are still as they were, for the price of one `stat` each.

In: paths. Out: what `stat` says of them now. Never: content, or trust in a file that changed a moment ago.
"""

from __future__ import annotations

import os
import time

# Size, mtime, ctime, inode; None when there is nothing of that name.
Stamp = tuple[int, int, int, int] | None

# A file changed this recently may change again without a new stamp: file systems count time in ticks.
TICK_NS = 20_000_000
_NEVER: Stamp = (-1, -1, -1, -1)


def stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def unchanged(stamps: dict[str, Stamp]) -> bool:
    return all(stamp(path) == known for path, known in stamps.items())


def settled(stamps: dict[str, Stamp]) -> dict[str, Stamp]:
    """The same stamps, those that are too young to trust replaced by one that nothing has."""
    young = time.time_ns() - TICK_NS
    return {path: _NEVER if known and max(known[1:3]) > young else known for path, known in stamps.items()}


def folder_stamps(root: str) -> dict[str, Stamp]:
    """Every file and folder below `root`, and `root` itself; byte code aside."""
    found = {root: stamp(root)}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in (*folders, *files):
            found[f"{folder}/{name}"] = stamp(f"{folder}/{name}")
    return found
