"""The files that runs are written down in: their names, how each begins, and when one goes.

In: moments, a folder. Out: names and a line. Never: a module that a run with nothing to do can spare.
"""

from __future__ import annotations

import os
import time

SCHEMA = "loom.run/1"
KEPT = 5
_LAST_LINE = 1024
"""More bytes than the line has that a run ends with."""
_DONE = (b"ran", b"remote", b"restored", b"shared", b"failed", b"error")


def run_name(at: float) -> str:
    """Of the run of this process that began at that time; names sort as runs began."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(at))}.{int(at % 1 * 1000):03}-{os.getpid()}"


def first_line(at: float, program: str, words: str) -> str:
    """The line of JSON that a run begins with; `words` is JSON already."""
    return f'{{"event": "begin", "schema": "{SCHEMA}", "at": {int(at)}, "program": "{program}", "words": {words}}}\n'


def newest(folder: str) -> list[str]:
    """The names of the files of all runs that are kept, the newest first; OSError when there is no such folder."""
    return sorted((name for name in os.listdir(folder) if name.endswith(".jsonl")), reverse=True)


def forget_old(folder: str) -> None:
    """The last few runs are kept, and the last few in which something was done."""
    try:
        names = newest(folder)
        old = names[KEPT:]
        busy = [name for name in names if not _is_idle(f"{folder}/{name}")][:KEPT] if old else []
        for name in old:
            if name not in busy:
                os.unlink(f"{folder}/{name}")
    except OSError:  # another run forgets them too
        return


def _is_idle(path: str) -> bool:
    """Whether all tasks of a run were up to date: of its counts, the others are 0."""
    with open(path, "rb") as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - _LAST_LINE))
        end = stream.read().rpartition(b'{"event": "end"')[2]
    return all(b'"%s": 0,' % how in end for how in _DONE)
