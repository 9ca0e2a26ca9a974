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
    """Each file appears under a temporary name and is renamed, with mode 0644 or 0755 whatever the umask."""
    root.mkdir(parents=True, exist_ok=True)
    runs = frozenset(executable)
    with _opened(root, f"{_TEMPORARY}/x", make=True) as temporary:
        for _, paths in groupby(sorted(data, key=_parent), key=_parent):
            group = list(paths)
            with _opened(root, group[0], make=True) as folder:
                for path in group:
                    _write(temporary, folder, path, data[path], 0o755 if path in runs else 0o644)
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
    for _, group in groupby(sorted(paths, key=_parent, reverse=True), key=_parent):
        names = list(group)
        with _opened(root, names[0]) as folder:
            for path in names:
                os.unlink(path.rpartition("/")[2], dir_fd=folder)
        _prune(root, _parent(names[0]))


def clear(root: Path, path: str) -> None:
    """Takes away whatever lies at `path`; a link goes itself, not what it leads to."""
    with contextlib.suppress(FileNotFoundError), _opened(root, path) as folder:
        name = path.rpartition("/")[2]
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


@contextmanager
def _opened(root: Path, path: str, *, make: bool = False) -> Iterator[int]:
    """The folder that holds `path`, reached step by step so that no link is followed."""
    handle = os.open(root, os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in _parent(path).split("/"):
            if name:
                inner = _step(handle, name, make=make)
                os.close(handle)
                handle = inner
        yield handle
    finally:
        os.close(handle)


def _step(handle: int, name: str, *, make: bool) -> int:
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=handle)
    return os.open(name, _FOLDER, dir_fd=handle)
