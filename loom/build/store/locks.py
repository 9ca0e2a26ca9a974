"""One worker at a time for each key, across threads and processes.

In: a folder and a name. Out: a context that is held by one at a time.
Never: a lock that outlives its holder (the kernel lets go when a process dies), or a long wait that says nothing.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from loom.build.store.folders import make_folder, open_lock

_QUIET = 2.0
_STEP = 0.05


@contextmanager
def held(folder: str, name: str) -> Iterator[None]:
    """Waits for whoever holds `name`. A new open file each time: threads share no lock through one."""
    make_folder(os.path.dirname(folder), folder)
    handle = open_lock(f"{folder}/{name}")
    try:
        if not _taken(handle):
            _wait(handle)
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(handle: int) -> None:
    """Most waits are short; the others name the process that is waited for."""
    end = time.monotonic() + _QUIET
    while time.monotonic() < end:
        time.sleep(_STEP)
        if _taken(handle):
            return
    from loom.build.housekeeping.lease import holders, told

    others = holders(handle)
    if others:
        sys.stderr.write(f"waiting for {told(others)}, which is making the same\n")
    fcntl.flock(handle, fcntl.LOCK_EX)
