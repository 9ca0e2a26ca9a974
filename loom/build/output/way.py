"""The way from a root down to a folder, on which no link is followed.

In: a root, relative folders. Out: their handles. Never: a path that is looked up whole.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Way:
    """The folders from a root to the one that was asked for last, all open; the next way shares what it can.

    Each is reached from the one above, so that no link is followed.
    """

    def __init__(self, root: Path, *, make: bool = False) -> None:
        self._make = make
        self._names: list[str] = []
        self._handles = [os.open(root, os.O_DIRECTORY | os.O_CLOEXEC)]

    def to(self, folder: str) -> int:
        """The handle of `folder`, good until the next call."""
        names = folder.split("/") if folder else []
        shared = 0
        while names[shared : shared + 1] == self._names[shared : shared + 1] != []:
            shared += 1
        self._back(shared)
        for name in names[shared:]:
            self._handles.append(_step(self._handles[-1], name, make=self._make))
            self._names.append(name)
        return self._handles[-1]

    def _back(self, depth: int) -> None:
        while len(self._names) > depth:
            os.close(self._handles.pop())
            self._names.pop()

    def close(self) -> None:
        self._back(0)
        os.close(self._handles.pop())


@contextmanager
def opened(root: Path) -> Iterator[Way]:
    way = Way(root)
    try:
        yield way
    finally:
        way.close()


def _step(handle: int, name: str, *, make: bool) -> int:
    made = make and _made(handle, name)
    folder = os.open(name, _FOLDER, dir_fd=handle)
    if made:
        os.fchmod(folder, 0o755)
    return folder


def _made(handle: int, name: str) -> bool:
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=handle)
        return True
    return False
