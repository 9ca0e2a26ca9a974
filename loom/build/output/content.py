"""What is to lie in an output folder, and where that folder is.

In: nothing. Out: `OutputFolder`, `OutputFile`, `OutputContent`. Never: bytes or I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from loom.build.project.problem import ProjectProblem

OWN = ".loom"
MANIFEST = f"{OWN}/manifest.json"
_NO_NAMES = frozenset({"", ".", ".."})


class OutputFolder(NamedTuple):
    """`root` is what people see; `memory` is a file that may be deleted at any time."""

    root: Path
    memory: Path


class OutputFile(NamedTuple):
    """One file to write: its content by digest, and the task that made it."""

    sha256: str
    size: int
    executable: bool
    task: str


class OutputContent(NamedTuple):
    """All files of one folder; `read` fetches a content, `keys` holds the key of each task, `key` stands for all."""

    files: Mapping[str, OutputFile]
    keys: Mapping[str, str]
    key: str
    read: Callable[[str, int], bytes]


class OutputConflict(ProjectProblem):
    """Files in output folders that are not as Loom left them; nothing was changed. `reasons` is by full path."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = dict(sorted(reasons.items()))
        count = f"{len(self.reasons)} file{'s are' if len(self.reasons) > 1 else ' is'}"
        lines = [f"{count} not as Loom left it, so nothing was written"]
        lines += [f"  {path}: {reason}" for path, reason in self.reasons.items()]
        lines.append("  keep a change elsewhere and delete the file, or say --overwrite to lose it")
        super().__init__("\n".join(lines))


def check_paths(files: Mapping[str, OutputFile]) -> None:
    """ValueError unless every path stays below the folder and none is the folder of another."""
    holders: dict[str, str] = {}
    for path in files:
        if not _NO_NAMES.isdisjoint(path.split("/")) or "\0" in path or "\\" in path or path[1:2] == ":":
            raise ValueError(f"{path!r} is not a path below the output folder")
        holders[path.rpartition("/")[0]] = path
    if MANIFEST in files:
        raise ValueError(f"{MANIFEST} is written by Loom itself")
    for holder, path in holders.items():
        for above in (holder, *folders_above(holder)):
            if above in files:
                raise ValueError(f"{above} is both a file and the folder of {path}")


def folders_above(path: str) -> Iterator[str]:
    """Every folder between the root and `path`, the nearest first."""
    while (cut := path.rfind("/")) > 0:
        path = path[:cut]
        yield path
