"""What has to happen so that an output folder holds a content: all of it or nothing.

In: the content, how Loom left each file, the disk. Out: files to write, to remove and to keep.
Never: a change of the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loom.build.output.content import OutputFile
from loom.build.output.look import Disk, Kind
from loom.build.output.manifest import Left

History = Mapping[str, tuple[Left, ...]]


class Decision(NamedTuple):
    """`kept` are files that Loom wrote once, needs no more and somebody edited."""

    write: tuple[str, ...]
    remove: tuple[str, ...]
    kept: Mapping[str, Left]
    conflicts: Mapping[str, str]


def decide(files: Mapping[str, OutputFile], history: History, disk: Disk) -> Decision:
    """Compares what is wanted with what lies there and with how Loom left it."""
    remove, kept = _stale(files, history, disk)
    write: list[str] = []
    conflicts: dict[str, str] = {}
    for path, file in files.items():
        wanted = Left(file.sha256, file.executable)
        if disk.holds(path, wanted) or disk.look(path).left == wanted:
            continue
        write.append(path)
        conflicts.update(_conflicts(path, history, disk, remove))
    return Decision(tuple(write), tuple(sorted(remove)), kept, conflicts)


def _stale(files: Mapping[str, OutputFile], history: History, disk: Disk) -> tuple[frozenset[str], dict[str, Left]]:
    remove: set[str] = set()
    kept: dict[str, Left] = {}
    for path in history.keys() - files.keys():
        found = disk.look(path)
        if found.left in history[path]:
            remove.add(path)
        elif found.kind is not Kind.ABSENT:
            kept[path] = history[path][0]
    return frozenset(remove), kept


def _conflicts(path: str, history: History, disk: Disk, remove: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Why `path` cannot be written without losing something that is not Loom's."""
    above = disk.blocked(path)
    if above:
        if above not in remove:
            yield above, "is no folder, and Loom writes below it"
        return
    kind, left = disk.look(path)
    match kind:
        case Kind.ABSENT:
            return
        case Kind.FILE if path not in history:
            yield path, "was not written by Loom"
        case Kind.FILE if left in history[path]:
            return
        case Kind.FILE if left is not None and left.sha256 in {was.sha256 for was in history[path]}:
            yield path, "has another executable bit than Loom gave it"
        case Kind.FOLDER if set(disk.below(path)) <= remove:
            return
        case _:
            yield path, str(kind)
