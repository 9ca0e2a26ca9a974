"""Reads and writes `migrations/<system>/<context>/`, the committed history of a context's database.

In: the folder; for writing, the pending file and the tables it leads to. Out: a `History`.
Never: a change of a file that was recorded before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from loom.base import Value, snake, words
from loom.build.migrations.plain import from_plain, to_plain
from loom.build.project.problem import NothingBegun, ProjectProblem
from loom.plan.history import History, RecordedMigration, TableShape

FOLDER = "migrations"
SNAPSHOT = "snapshot.json"
_NAME = re.compile(r"([0-9]{14})_([a-z][a-z0-9_]{0,60})\.sql")


class SnapshotFile(Value):
    """One recorded file and the digest of its bytes."""

    file: str
    sha256: str


class Snapshot(Value):
    """`snapshot.json`: what was recorded, and the tables as of the last file."""

    format: Literal["loom.snapshot/1"] = "loom.snapshot/1"
    files: tuple[SnapshotFile, ...]
    tables: tuple[TableShape, ...]


def history_folder(root: Path, system: str, context: str) -> Path:
    """Where the history of the context of that declared name lies."""
    return root / FOLDER / system / snake(words(context))


def history_folders(root: Path) -> Iterator[Path]:
    """The folders of all histories, of whichever system."""
    return (folder for folder in sorted((root / FOLDER).glob("*/*")) if folder.is_dir())


def read_history(folder: Path) -> History:
    """What `folder` records; an empty history when there is no folder."""
    names = sorted(path.name for path in folder.glob("*.sql"))
    snapshot = _snapshot(folder / SNAPSHOT)
    if snapshot is None:
        if names:
            raise ProjectProblem(f"{folder}: has migrations but no {SNAPSHOT}; restore it from version control")
        return History()
    _check_files(folder, names, snapshot)
    return History(migrations=tuple(_recorded(folder / name) for name in names), tables=snapshot.tables)


def record(folder: Path, pending: RecordedMigration, tables: Sequence[TableShape]) -> Path:
    """Writes the pending file under its name and renews the snapshot; the new file's path."""
    known = _snapshot(folder / SNAPSHOT)
    read_history(folder)
    check_name(pending.name)
    path = folder / f"{pending.version}_{pending.name}.sql"
    folder.mkdir(parents=True, exist_ok=True)
    _write(path, pending.sql)
    entry = SnapshotFile(file=path.name, sha256=_sha256(path))
    files = (*(known.files if known else ()), entry)
    snapshot = Snapshot(files=files, tables=tuple(tables))
    _write(folder / SNAPSHOT, json.dumps(to_plain(snapshot), indent=2) + "\n")
    return path


def check_name(name: str) -> None:
    """NothingBegun unless `name` can be part of a file's name."""
    if not _NAME.fullmatch(f"{'0' * 14}_{name}.sql"):
        raise NothingBegun(f"`{name}` is no name for a migration: lower-case letters, digits and `_`")


def _snapshot(path: Path) -> Snapshot | None:
    try:
        return from_plain(Snapshot, json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ProjectProblem(f"{path}: {error}; restore it from version control") from None


def _check_files(folder: Path, names: Sequence[str], snapshot: Snapshot) -> None:
    """Recorded files are exactly those of the snapshot, byte for byte."""
    known = {entry.file: entry.sha256 for entry in snapshot.files}
    for name in sorted(known.keys() | set(names)):
        if name not in known:
            raise ProjectProblem(f"{folder / name}: was not recorded; `loom migrate record NAME` is the only writer")
        if name not in names:
            raise ProjectProblem(f"{folder / name}: is recorded but missing; restore it from version control")
        if _sha256(folder / name) != known[name]:
            raise ProjectProblem(f"{folder / name}: was changed after it was recorded; restore it from version control")


def _recorded(path: Path) -> RecordedMigration:
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise ProjectProblem(f"{path}: is not named <14 digits>_<name>.sql")
    return RecordedMigration(version=match[1], name=match[2], sql=path.read_bytes().decode())


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(text.encode())
    temporary.replace(path)
