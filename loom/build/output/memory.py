"""What was last seen of each output file, so that an unchanged one costs one `lstat`.

In: an output folder. Out: stat tuples with the digest that they stand for.
Never: the truth: a lost memory costs time alone (the manifest says what Loom wrote).
"""

from __future__ import annotations

import marshal
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from loom.build.output.content import MANIFEST, OutputFolder, folders_above
from loom.build.store.atomic import write_disposable

_FORMAT = "loom.output-memory/1"

# size, mtime_ns, ctime_ns, inode, then what they stand for: sha256 and the executable bit
Seen = tuple[int, int, int, int, str, bool]


def stamp(found: os.stat_result) -> tuple[int, int, int, int]:
    """What changes whenever a file's content or mode does."""
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def recall(path: Path) -> tuple[str, dict[str, Seen]]:
    """The digest of the content last written in full, and what was seen of each path."""
    try:
        form, digest, seen = marshal.loads(path.read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return "", {}
    return (digest, seen) if form == _FORMAT else ("", {})


def remember(path: Path, digest: str, seen: dict[str, Seen]) -> None:
    """Keeps it for the next run."""
    write_disposable(str(path), marshal.dumps((_FORMAT, digest, seen)))


def is_settled(folder: OutputFolder, digest: str) -> str:
    """Empty when the folder holds exactly what `digest` stands for, else why it may not."""
    known, seen = recall(folder.memory)
    if not known:
        return "nothing is remembered of the output folder"
    if known != digest:
        return "the content to write has changed"
    root = str(folder.root)
    for path, was in seen.items():
        found = _stat(f"{root}/{path}")
        if found is None:
            return f"{path} is missing"
        if stamp(found) != was[:4]:
            return f"{path} was changed"
    if _stat(f"{root}/{MANIFEST}") is None:
        return f"{MANIFEST} is missing"
    return _replaced_folder(root, seen)


def _replaced_folder(root: str, paths: Iterable[str]) -> str:
    """A link in place of a folder leads to the same files, so that only the link itself shows."""
    parents = {path.rpartition("/")[0] for path in paths}
    for folder in (parents | {above for parent in parents for above in folders_above(parent)}) - {""}:
        found = _stat(f"{root}/{folder}")
        if found is None or not stat.S_ISDIR(found.st_mode):
            return f"{folder} was replaced"
    return ""


def _stat(place: str) -> os.stat_result | None:
    try:
        return os.lstat(place)
    except OSError:
        return None
