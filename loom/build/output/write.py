"""Writes an output folder: only what changed, all or nothing, never outside of it.

In: the folder and its content. Out: what was written, removed and kept.
Never: a change of a file that somebody edited, unless they said so.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from loom.build.output.content import MANIFEST, OutputConflict, OutputContent, OutputFolder, check_paths
from loom.build.output.decide import Decision, decide
from loom.build.output.look import Disk
from loom.build.output.manifest import INTENT, Left, manifest_bytes, read_manifest
from loom.build.output.memory import Seen, recall, recalled, remember, stamp
from loom.build.output.place import clear, remove_files, write_files
from loom.build.project.problem import ProjectProblem
from loom.build.stamps import TICK_NS, is_young

_UNREAD = "cannot be read, and Loom knows its own files by it"


class Written(NamedTuple):
    """What one run did to an output folder; `kept` files are stale but edited, and stay.

    `lost` says of each file that was not as Loom left it, and was overwritten, what had become of it. `mended` says
    that the manifest could not be read, and was written anew from what was remembered.
    """

    written: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    lost: Mapping[str, str]
    mended: bool


class _Pending(NamedTuple):
    """One folder, decided but not touched."""

    folder: OutputFolder
    content: OutputContent
    seen: dict[str, Seen]
    decision: Decision
    data: dict[str, bytes]
    mended: bool


def write_outputs(
    wanted: Sequence[tuple[OutputFolder, OutputContent]], *, overwrite: bool = False
) -> tuple[Written, ...]:
    """Makes each folder hold its content, all or none; OutputConflict, and no change, when that would lose an edit."""
    try:
        pending = [_decided(folder, content) for folder, content in wanted]
        conflicts = {
            f"{one.folder.root}/{path}": reason for one in pending for path, reason in one.decision.conflicts.items()
        }
        if conflicts and not overwrite:
            conflicts |= {f"{one.folder.root}/{MANIFEST}": _UNREAD for one in pending if one.mended}
            raise OutputConflict(conflicts)
        for one in pending:
            _apply(one)
        written = time.monotonic_ns()
        for one in pending:
            _settle(one)
        if any(one.decision.write or one.decision.remove or one.mended for one in pending):
            _outlast_tick(written)
    except OSError as error:
        raise ProjectProblem(f"cannot write {error.filename}: {error.strerror}") from error
    return tuple(_written(one.decision, mended=one.mended) for one in pending)


def _written(done: Decision, *, mended: bool) -> Written:
    return Written(done.write, done.remove, tuple(sorted(done.kept)), dict(sorted(done.conflicts.items())), mended)


def _decided(folder: OutputFolder, content: OutputContent) -> _Pending:
    """All that can fail without a trace comes first: the bytes are in hand before any file changes."""
    check_paths(content.files)
    _refuse_no_folder(folder.root)
    disk = Disk(folder.root, recall(folder.memory))
    history, mended = read_manifest(folder.root)
    if mended:
        history = {**_remembered(folder), **history}
    decision = decide(content.files, history, disk)
    files = [(path, content.files[path]) for path in decision.write]
    data = {path: content.read(file.sha256, file.size) for path, file in files}
    return _Pending(folder, content, disk.seen, decision, data, mended)


def _refuse_no_folder(root: Path) -> None:
    """A link to a folder is somebody's choice."""
    if os.path.lexists(root) and not root.is_dir():
        what = "a link that leads to no folder" if root.is_symlink() else "no folder"
        raise ProjectProblem(f"{root} is {what}: remove it, or give the system another `out` in loom.yaml")


def _remembered(folder: OutputFolder) -> dict[str, tuple[Left, ...]]:
    """How Loom left each file, going by what it saw at the end of its last run there."""
    if not recalled(folder.memory)[0]:
        return {}
    return {path: (Left(was[4], was[5]),) for path, was in recall(folder.memory).items() if path != MANIFEST}


def _apply(one: _Pending) -> None:
    folder, content, decision = one.folder, one.content, one.decision
    manifest = manifest_bytes(content, decision.kept)
    if one.data:
        # An interrupted run leaves files that the old manifest does not know; this says whose they are.
        # kept by tests/engine/project/test_output_broken_off.py::test_interrupted_run_is_taken_up
        write_files(folder.root, {INTENT: manifest})
    remove_files(folder.root, decision.remove)
    for path in decision.conflicts:
        clear(folder.root, path)
    runs = [path for path in one.data if content.files[path].executable]
    for path, left in write_files(folder.root, one.data, runs).items():
        one.seen[path] = (*left, content.files[path].sha256, content.files[path].executable)
    if not _holds(folder, manifest):
        write_files(folder.root, {MANIFEST: manifest})
    left = stamp(os.lstat(folder.root / MANIFEST))
    one.seen[MANIFEST] = (*left, hashlib.sha256(manifest).hexdigest(), False)
    (folder.root / INTENT).unlink(missing_ok=True)


def _holds(folder: OutputFolder, manifest: bytes) -> bool:
    try:
        return (folder.root / MANIFEST).read_bytes() == manifest
    except OSError:
        return False


def _settle(one: _Pending) -> None:
    """Remembers each file by its stamp, but for those that may have the same one after an edit that follows us."""
    files, then = one.content.files, time.time_ns() + TICK_NS
    ours = {path: seen for path, seen in one.seen.items() if path in (MANIFEST, *one.decision.kept) or path in files}
    known = {path: seen for path, seen in ours.items() if not is_young(seen[2], then)}
    complete = files.keys() <= known.keys()
    remember(one.folder.memory, one.content.key if complete else "", known)


def _outlast_tick(since: int) -> None:
    """Whoever edits a file after us must give it another stamp."""
    spent = time.monotonic_ns() - since
    time.sleep(max(0, TICK_NS - spent) / 1e9)
