"""Writes an output folder: only what changed, all or nothing, never outside of it.

In: the folder and its content. Out: what was written, removed and kept.
Never: a change of a file that somebody edited, unless they said so.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import NamedTuple

from loom.build.output.content import MANIFEST, OutputConflict, OutputContent, OutputFolder, check_paths
from loom.build.output.decide import Decision, decide
from loom.build.output.look import TICK_NS, Disk
from loom.build.output.manifest import INTENT, Left, manifest_bytes, read_manifest
from loom.build.output.memory import Seen, recall, remember, stamp
from loom.build.output.place import clear, remove_files, write_files
from loom.build.project.problem import ProjectProblem


class Written(NamedTuple):
    """What one run did to an output folder; `kept` files are stale but edited, and stay."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]


def write_output(folder: OutputFolder, content: OutputContent, *, overwrite: bool = False) -> Written:
    """Makes `folder` hold `content`; OutputConflict, and no change, when that would lose an edit."""
    check_paths(content.files)
    try:
        return _write(folder, content, overwrite=overwrite)
    except OSError as error:
        where = error.filename or folder.root
        raise ProjectProblem(f"{folder.root}: cannot write {where}: {error.strerror}") from error


def _write(folder: OutputFolder, content: OutputContent, *, overwrite: bool) -> Written:
    disk = Disk(folder.root, recall(folder.memory)[1])
    decision = decide(content.files, read_manifest(folder.root), disk)
    if decision.conflicts and not overwrite:
        raise OutputConflict(folder.root, decision.conflicts)
    _apply(folder, content, decision)
    _settle(folder, content, disk.seen, decision)
    return Written(decision.write, decision.remove, tuple(sorted(decision.kept)))


def _apply(folder: OutputFolder, content: OutputContent, decision: Decision) -> None:
    """Everything that can fail without a trace comes first: all bytes are in hand before a file changes."""
    files = {path: content.files[path] for path in decision.write}
    data = {path: content.read(file.sha256, file.size) for path, file in files.items()}
    manifest = manifest_bytes(content, decision.kept)
    if files:
        # An interrupted run leaves files that the old manifest does not know; this says whose they are.
        # kept by tests/engine/project/test_output_folder.py::test_interrupted_run_is_taken_up
        write_files(folder.root, {INTENT: manifest})
    for path in decision.conflicts:
        clear(folder.root, path)
    remove_files(folder.root, decision.remove)
    write_files(folder.root, data, [path for path, file in files.items() if file.executable])
    if not _holds(folder, manifest):
        write_files(folder.root, {MANIFEST: manifest})
    (folder.root / INTENT).unlink(missing_ok=True)


def _holds(folder: OutputFolder, manifest: bytes) -> bool:
    try:
        return (folder.root / MANIFEST).read_bytes() == manifest
    except OSError:
        return False


def _settle(folder: OutputFolder, content: OutputContent, seen: dict[str, Seen], decision: Decision) -> None:
    """Remembers each file by its stamp; what was just written must first be older than a tick."""
    if decision.write or decision.remove:
        time.sleep(TICK_NS / 1e9)
    for path in decision.write:
        file = content.files[path]
        seen[path] = (*stamp(os.lstat(folder.root / path)), file.sha256, file.executable)
    kept: Mapping[str, Left] = decision.kept
    known = {path: entry for path, entry in seen.items() if path in content.files or path in kept}
    remember(folder.memory, content.digest() if len(known) >= len(content.files) else "", known)
