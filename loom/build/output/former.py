"""Folders that a project had Loom write into and names no more: what Loom left there goes as well.

In: the record of all folders that were written, and those that are written now. Out: the former ones.
Never: a folder that this project did not have written. The record may be deleted: then a former folder is left alone.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from loom.build.output.content import OutputContent, OutputFolder
from loom.build.output.manifest import is_output
from loom.build.store.atomic import write_disposable

_FORMAT = "loom.output-folders/1"


def record_folders(record: Path, folders: Iterable[str]) -> None:
    """Keeps the names of folders that hold something of Loom's, before anything is written there."""
    write_disposable(str(record), marshal.dumps((_FORMAT, sorted(set(folders)))))


def former_folders(record: Path, root: Path, named: Sequence[str]) -> tuple[str, ...]:
    """Recorded folders below `root` that are none of those `named` now, by another name or through a link either."""
    now = {os.path.realpath(root / name) for name in named}
    return tuple(name for name in _recorded(record) if os.path.realpath(root / name) not in now)


def unrecorded_folders(record: Path, root: Path, named: Sequence[str]) -> tuple[str, ...]:
    """Where the record is lost, folders beside those `named` that hold what some project had Loom write.

    They may be copies that somebody keeps, so they are told of and left alone.
    """
    if record.exists():
        return ()
    now = {os.path.realpath(root / name) for name in named}
    beside = {(root / name).parent for name in named} | {root / "out"}
    found = sorted(place for folder in beside if folder.is_dir() for place in folder.iterdir() if is_output(place))
    return tuple(place.relative_to(root).as_posix() for place in found if os.path.realpath(place) not in now)


def _recorded(record: Path) -> list[str]:
    try:
        form, folders = marshal.loads(record.read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return []
    return list(folders) if form == _FORMAT else []


def taken_over(folder: Path, wanted: Iterable[tuple[OutputFolder, OutputContent]]) -> frozenset[str]:
    """Paths below a former folder that belong to one that is written now, since it lies above or below."""
    start = f"{os.path.realpath(folder)}/"
    return frozenset(
        path[len(start) :]
        for now, content in wanted
        for path in (f"{os.path.realpath(now.root)}/{name}" for name in content.files)
        if path.startswith(start)
    )
