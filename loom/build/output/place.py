"""Puts files into a folder and takes them out, never through a link.

In: a root and relative paths. Out: files that appear whole, under their final name.
Never: a decision about what may be replaced (`decide.py`), or a path that leaves the root.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from loom.build.output.content import OWN
from loom.build.store.atomic import write_all

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_TEMPORARY = f"{OWN}/tmp"
_NAME = os.urandom(6).hex()


def write_files(root: Path, data: Mapping[str, bytes], executable: Iterable[str] = ()) -> None:
    """Each file appears under a temporary name and is renamed, with mode 0644 or 0755 whatever the umask.

    New folders have 0755: an image that copies them must show them to the service's user.
    kept by tests/engine/project/test_output_folder.py::test_modes_do_not_depend_on_the_umask
    """
    root.mkdir(parents=True, exist_ok=True)
    runs = frozenset(executable)
    with _opened(root, make=True) as aside, _opened(root, make=True) as way:
        temporary = aside.to(_TEMPORARY)
        for path in sorted(data, key=_parent):
            _write(temporary, way.to(_parent(path)), path, data[path], 0o755 if path in runs else 0o644)
    shutil.rmtree(root / _TEMPORARY)


def _write(temporary: int, folder: int, path: str, data: bytes, mode: int) -> None:
    handle = os.open(_NAME, _NEW, mode, dir_fd=temporary)
    try:
        write_all(handle, data)
        os.fchmod(handle, mode)
    finally:
        os.close(handle)
    os.rename(_NAME, path.rpartition("/")[2], src_dir_fd=temporary, dst_dir_fd=folder)


def remove_files(root: Path, paths: Iterable[str]) -> None:
    """Takes the files away, and each folder that is empty after it."""
    for parent, group in groupby(sorted(paths, key=_parent, reverse=True), key=_parent):
        with _opened(root) as way:
            for path in group:
                os.unlink(path.rpartition("/")[2], dir_fd=way.to(parent))
        _prune(root, parent)


def clear(root: Path, path: str) -> None:
    """Takes away whatever lies at `path`; a link goes itself, not what it leads to."""
    with contextlib.suppress(FileNotFoundError), _opened(root) as way:
        folder, name = way.to(_parent(path)), path.rpartition("/")[2]
        if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _prune(root: Path, folder: str) -> None:
    while folder:
        try:
            (root / folder).rmdir()
        except OSError:
            return
        folder = _parent(folder)


class _Way:
    """The folders from a root to the one that was asked for last, all open; the next way shares what it can.

    Each is reached from the one above, so that no link is followed.
    """

    def __init__(self, root: Path, *, make: bool) -> None:
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
def _opened(root: Path, *, make: bool = False) -> Iterator[_Way]:
    way = _Way(root, make=make)
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
