"""What lies at a path of an output folder right now.

In: the folder and what was last seen of it. Out: kind, digest and executable bit of a path.
Never: a link followed below the folder, or a file read whose stamp is known.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from loom.build.output.manifest import Left
from loom.build.output.memory import Seen, stamp
from loom.build.stamps import is_young


class Kind(StrEnum):
    ABSENT = "is missing"
    FILE = "was edited"
    FOLDER = "was replaced by a folder"
    LINK = "was replaced by a link"
    OTHER = "was replaced by something that is not a file"


class Found(NamedTuple):
    kind: Kind
    left: Left | None = None


_NOTHING = Found(Kind.ABSENT)


class _Folder(NamedTuple):
    """Whether a folder is there; else what is in its place, or in that of one above it."""

    there: bool
    blocked: str = ""


class Disk:
    """Looks at an output folder; `seen` grows with what is certain."""

    def __init__(self, root: Path, seen: dict[str, Seen]) -> None:
        self.seen = seen
        self._root = str(root)
        self._folders = {"": _Folder(there=root.is_dir())}

    def blocked(self, path: str) -> str:
        """The nearest thing above `path` that is no folder, or nothing."""
        return self._above(path).blocked

    def _above(self, path: str) -> _Folder:
        """The folder that `path` lies in."""
        folder = path.rpartition("/")[0]
        known = self._folders.get(folder)
        if known is None:
            above = self._above(folder)
            known = self._folders[folder] = self._looked(folder) if above.there else above
        return known

    def look(self, path: str) -> Found:
        """What lies at `path`; below something that is no folder nothing does."""
        if not self._above(path).there:
            return _NOTHING
        place = f"{self._root}/{path}"
        try:
            found = os.lstat(place)
        except FileNotFoundError:
            return _NOTHING
        if stat.S_ISREG(found.st_mode):
            return Found(Kind.FILE, self._left(path, place, found))
        if stat.S_ISDIR(found.st_mode):
            return Found(Kind.FOLDER)
        return Found(Kind.LINK if stat.S_ISLNK(found.st_mode) else Kind.OTHER)

    def holds(self, path: str, left: Left) -> bool:
        """Whether `path` is surely as `left`, without another look at what it is: its stamp is that of such a file."""
        was = self.seen.get(path)
        if was is None or was[4:] != left or not self._above(path).there:
            return False
        try:
            return stamp(os.lstat(f"{self._root}/{path}")) == was[:4]
        except FileNotFoundError:
            return False

    def below(self, path: str) -> list[str]:
        """Every file below the folder `path`, and every folder that holds nothing, be it `path` itself."""
        files: list[str] = []
        for folder, folders, names in os.walk(f"{self._root}/{path}", onerror=_refuse):
            links = [name for name in folders if os.path.islink(f"{folder}/{name}")]
            start = folder[len(self._root) + 1 :]
            files += [f"{start}/{name}" for name in (*names, *links)] or ([] if folders else [start])
        return files

    def _looked(self, path: str) -> _Folder:
        try:
            is_folder = stat.S_ISDIR(os.lstat(f"{self._root}/{path}").st_mode)
        except FileNotFoundError:
            return _Folder(there=False)
        return _Folder(there=is_folder, blocked="" if is_folder else path)

    def _left(self, path: str, place: str, found: os.stat_result) -> Left:
        was = self.seen.get(path)
        if was is not None and was[:4] == stamp(found):
            return Left(was[4], was[5])
        before = time.time_ns()
        with open(place, "rb", opener=_no_link) as stream:
            sha256 = hashlib.sha256(stream.read()).hexdigest()
        executable = bool(found.st_mode & stat.S_IXUSR)
        if not is_young(found.st_ctime_ns, before):
            self.seen[path] = (*stamp(found), sha256, executable)
        else:
            self.seen.pop(path, None)
        return Left(sha256, executable)


def _refuse(error: OSError) -> None:
    """A folder that cannot be read is not taken for an empty one."""
    raise error


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)
