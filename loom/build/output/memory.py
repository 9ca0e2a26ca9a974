"""What was last seen of each output file, so that an unchanged one costs one `stat`.

In: an output folder. Out: stat tuples with the digest that they stand for.
Never: the truth: a lost memory costs time alone (the manifest says what Loom wrote).
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Mapping
from operator import attrgetter
from pathlib import Path

from loom.build.output.content import MANIFEST, OutputFolder, folders_above
from loom.build.store.atomic import write_disposable

_FORMAT = "loom.output-memory/3"
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", 0)

# size, mtime_ns, ctime_ns, inode, then what they stand for: sha256 and the executable bit
Seen = tuple[int, int, int, int, str, bool]
Stamp = tuple[int, int, int, int]
# By folder, then by name: names are looked up in an open folder, which spares the way to it.
Folders = dict[str, dict[str, Seen]]


stamp: Callable[[os.stat_result], Stamp] = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
"""What changes whenever a file's content or mode does."""


def recall(path: Path) -> dict[str, Seen]:
    """What was seen of each path."""
    folders = recalled(path)[1]
    return {f"{folder}/{name}".lstrip("/"): was for folder, names in folders.items() for name, was in names.items()}


def recalled(path: Path) -> tuple[str, Folders]:
    """The key of the content, empty when the folder may hold another, and what was seen of it."""
    try:
        form, key, folders = marshal.loads(path.read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return "", {}
    return (key, folders) if form == _FORMAT else ("", {})


def remember(path: Path, key: str, seen: Mapping[str, Seen]) -> None:
    """Keeps it for the next run. Folders that hold none but folders are in it too."""
    folders: Folders = {"": {}}
    for place, was in seen.items():
        folder, _, name = place.rpartition("/")
        if folder not in folders:
            folders |= {above: {} for above in (folder, *folders_above(folder)) if above not in folders}
        folders[folder][name] = was
    write_disposable(str(path), marshal.dumps((_FORMAT, key, folders)))


def is_settled(folder: OutputFolder, key: str) -> str:
    """Empty when the folder holds exactly what the content of that key stands for, else why it may not.

    What doit knows of a run that was killed is older than what that run wrote.
    kept by tests/engine/core/test_never_wrong.py::test_output_of_a_killed_run_is_not_taken_for_an_older_one
    """
    known, folders = recalled(folder.memory)
    if not known:
        return "nothing is remembered of the output folder"
    if known != key:
        return "the content to write has changed"
    if not os.path.lexists(folder.root / MANIFEST):
        return f"{MANIFEST} is missing"
    root = os.open(folder.root, _FOLDER)
    try:
        return next(filter(None, (_changed(root, path, names) for path, names in folders.items())), "")
    finally:
        os.close(root)


def _changed(root: int, folder: str, names: Mapping[str, Seen]) -> str:
    """A link in place of a folder leads to the same files: none below the root is followed."""
    try:
        handle = os.open(folder or ".", _FOLDER | os.O_NOFOLLOW, dir_fd=root)
    except FileNotFoundError:
        return f"{folder} is missing"
    except OSError:
        return f"{folder} was replaced"
    try:
        return _changed_file(handle, folder, names)
    finally:
        os.close(handle)


def _changed_file(handle: int, folder: str, names: Mapping[str, Seen]) -> str:
    for name, was in names.items():
        try:
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError:
            return f"{folder}/{name} is missing".lstrip("/")
        if stamp(found) != was[:4]:
            return f"{folder}/{name} was changed".lstrip("/")
    return ""
