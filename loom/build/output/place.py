"""Puts files into a folder and takes them out, never through a link.

In: a root and relative paths. Out: files that appear whole, under their final name; an OSError names that one.
Never: a decision about what may be replaced (`decide.py`), or a path that leaves the root.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count, groupby
from pathlib import Path

from loom.build.output.content import OWN, folders_above
from loom.build.output.memory import Stamp, stamp
from loom.build.output.way import Way, opened
from loom.build.store.atomic import write_all

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_TEMPORARY = f"{OWN}/tmp"
_NAME = os.urandom(6).hex()
_COUNT = count()


def write_files(root: Path, data: Mapping[str, bytes], executable: Iterable[str] = ()) -> dict[str, Stamp]:
    """Each file appears whole, with mode 0644 or 0755 whatever the umask; what `stat` said of it then.

    One of a folder that is there comes in by a rename of its own; a folder that is not there comes in with all of it.
    New folders have 0755: an image that copies them must show them to the service's user.
    kept by tests/engine/project/test_output_folder.py::test_modes_do_not_depend_on_the_umask
    """
    root.mkdir(parents=True, exist_ok=True)
    runs = frozenset(executable)
    stamps: dict[str, Stamp] = {}
    with _Arrivals(root) as arrivals:
        for folder, paths in groupby(sorted(data, key=_parent), key=_parent):
            with _named(root, folder):
                put = arrivals.into(folder)
            for path in paths:
                with _named(root, path):
                    stamps[path] = put(_name(path), data[path], 0o755 if path in runs else 0o644)
        arrivals.finish()
    shutil.rmtree(root / _TEMPORARY)
    return stamps


def remove_files(root: Path, paths: Iterable[str]) -> None:
    """Takes the files away, and each folder that is empty after it."""
    for parent, group in groupby(sorted(paths, key=_parent, reverse=True), key=_parent):
        with opened(root) as way:
            for path in group:
                with _named(root, path):
                    os.unlink(_name(path), dir_fd=way.to(parent))
        _prune(root, parent)


def clear(root: Path, path: str) -> None:
    """Takes away whatever lies at `path`; a link goes itself, not what it leads to."""
    with contextlib.suppress(FileNotFoundError), _named(root, path), opened(root) as way:
        folder, name = way.to(_parent(path)), _name(path)
        if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)


@contextmanager
def _named(root: Path, path: str) -> Iterator[None]:
    """What goes wrong is told of the path that people know: handles and names of what is on its way say nothing."""
    try:
        yield
    except OSError as error:
        error.filename = f"{root}/{path}".rstrip("/")
        raise


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _prune(root: Path, folder: str) -> None:
    while folder:
        try:
            (root / folder).rmdir()
        except OSError:
            return
        folder = _parent(folder)


class _Arrivals:
    """What is on its way into a root: single files, and folders that are not there yet.

    A file of a new folder is made where it stays: file systems keep the files of one folder together, and are slow
    where thousands are made in the same.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._aside = Way(root, make=True)
        self._way = Way(root)
        with _named(root, _TEMPORARY):
            self._aside.to(_TEMPORARY)
        self._new: dict[str, str] = {}

    def __enter__(self) -> _Arrivals:
        return self

    def __exit__(self, *_: object) -> None:
        self._aside.close()
        self._way.close()

    def into(self, folder: str) -> Callable[[str, bytes, int], Stamp]:
        """How files come into `folder`; good until the next call."""
        new = self._new_above(folder)
        if new is None:
            return partial(_exchange, self._aside.to(_TEMPORARY), self._way.to(folder))
        return partial(_make, self._aside.to(self._new[new] + folder[len(new) :]))

    def _new_above(self, folder: str) -> str | None:
        """The highest folder on the way to `folder` that has to be made; None when none has."""
        ways = [*reversed(list(folders_above(folder))), folder] if folder else []
        for way in ways:
            if way in self._new:
                return way
            try:
                self._way.to(way)
            except FileNotFoundError:
                self._new[way] = f"{_TEMPORARY}/{_NAME}-{next(_COUNT)}"
                return way
        return None

    def finish(self) -> None:
        """The new folders come in."""
        for folder, made in self._new.items():
            with _named(self._root, folder):
                above = self._aside.to(_TEMPORARY)
                os.rename(_name(made), _name(folder), src_dir_fd=above, dst_dir_fd=self._way.to(_parent(folder)))


def _exchange(temporary: int, folder: int, name: str, data: bytes, mode: int) -> Stamp:
    """A file in the place of what was there."""
    handle = _filled(temporary, _NAME, data, mode)
    try:
        os.rename(_NAME, name, src_dir_fd=temporary, dst_dir_fd=folder)
        return stamp(os.fstat(handle))
    finally:
        os.close(handle)


def _make(folder: int, name: str, data: bytes, mode: int) -> Stamp:
    """A file where nobody sees it yet."""
    handle = _filled(folder, name, data, mode)
    try:
        return stamp(os.fstat(handle))
    finally:
        os.close(handle)


def _filled(folder: int, name: str, data: bytes, mode: int) -> int:
    """The handle of a new file."""
    handle = os.open(name, _NEW, mode, dir_fd=folder)
    try:
        write_all(handle, data)
        os.fchmod(handle, mode)
    except BaseException:
        os.close(handle)
        raise
    return handle
