"""One worker at a time for each key, across threads and processes.

In: a folder and a name. Out: a context that is held by one at a time.
Never: a lock that outlives its holder (the kernel lets go when a process dies).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held(folder: str, name: str) -> Iterator[None]:
    """Waits for whoever holds `name`. A new open file each time: threads share no lock through one."""
    os.makedirs(folder, exist_ok=True)
    handle = os.open(f"{folder}/{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
