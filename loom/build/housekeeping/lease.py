"""Who is using a store: each run holds a share of it, tidying needs it alone.

In: a store's folder. Out: a lease that lasts until it is released or its process ends.
Never: a lock that outlives its holder, or a wait that does not say for whom.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
from pathlib import Path

from loom.build.housekeeping.mark import mark_tidy
from loom.build.store.folders import open_lock

FILE = "store.lock"


class Lease:
    """`handle` is -1 where the store cannot be written to, so that nobody can tidy it either."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def release(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def share(root: Path) -> Lease:
    """A share of the store, after whoever has it alone."""
    handle = _opened(root)
    if handle >= 0:
        _wait(handle, root, fcntl.LOCK_SH)
    return Lease(handle)


def alone(root: Path, *, wait: bool) -> Lease | None:
    """The store for oneself; None when others have it and `wait` is false, or it cannot be written to."""
    handle = _opened(root) if _is_ours(root) else -1
    if handle < 0:
        return None
    if wait:
        _wait(handle, root, fcntl.LOCK_EX)
        return Lease(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return Lease(handle)


def _is_ours(root: Path) -> bool:
    """Whether it can be written to, or made."""
    return not root.exists() or os.access(root, os.W_OK, effective_ids=True)


def _opened(root: Path) -> int:
    """A new open file each time: locks belong to it, not to the process."""
    try:
        if not root.exists():
            root.mkdir(parents=True, exist_ok=True)
            mark_tidy(root)
        return open_lock(f"{root}/{FILE}")
    except OSError:
        return -1


def _wait(handle: int, root: Path, kind: int) -> None:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write(f"waiting for {told(holders(handle))}, which uses the store {root}\n")
        fcntl.flock(handle, kind)


def holders(handle: int) -> list[int]:
    """Processes that hold a lock on the file of `handle`, as far as the kernel tells."""
    inode = os.fstat(handle).st_ino
    found: set[int] = set()
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/locks").read_text().splitlines():
            parts = line.split()
            if "->" not in parts and int(parts[5].rpartition(":")[2]) == inode:
                found.add(int(parts[4]))
    return sorted(found - {os.getpid(), 0, -1})


def told(processes: list[int]) -> str:
    return f"process {', '.join(map(str, processes))}" if processes else "another process"
