"""What lies in a toolchain's root, by digest: hashed once, remembered beside it.

In: an unpacked root. Out: its files, links and folders as rows. Never: a copy of their bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loom.build.store.atomic import CHUNK, write_disposable

Row = tuple[str, str, int, bool]


class RootFiles(NamedTuple):
    """Paths are relative to the root; `files` have SHA-256, size and whether they are programs."""

    files: tuple[Row, ...]
    links: tuple[tuple[str, str], ...]
    folders: tuple[str, ...]
    """The empty ones too: they are where the sandbox mounts things."""


def root_files(root: Path) -> RootFiles:
    """A root never changes under its name; one that was built anew is hashed anew."""
    memory, made = str(root.with_name(f"{root.name}.files")), _made(root)
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        with open(memory, "rb") as stream:
            known, *found = marshal.loads(stream.read())
        if known == made:
            return RootFiles(*found)
    found_now = _looked(str(root))
    write_disposable(memory, marshal.dumps((made, *found_now)))
    return found_now


def _made(root: Path) -> tuple[int, int]:
    """Of the folder itself only its number: whoever uses a root touches it."""
    return root.stat().st_ino, (root / "etc").stat().st_mtime_ns if (root / "etc").is_dir() else 0


def _looked(root: str) -> RootFiles:
    entries = sorted(_walked(root, ""))
    files = [(path, *_hashed(f"{root}/{path}"), bool(mode & 0o100)) for path, mode in entries if stat.S_ISREG(mode)]
    links = [(path, os.readlink(f"{root}/{path}")) for path, mode in entries if stat.S_ISLNK(mode)]
    return RootFiles(tuple(files), tuple(links), tuple(path for path, mode in entries if stat.S_ISDIR(mode)))


def _walked(root: str, above: str) -> Iterator[tuple[str, int]]:
    with os.scandir(f"{root}/{above}") as children:
        for child in children:
            path, mode = above + child.name, child.stat(follow_symlinks=False).st_mode
            yield path, mode
            if stat.S_ISDIR(mode):
                yield from _walked(root, f"{path}/")


def _hashed(path: str) -> tuple[str, int]:
    sha, size = hashlib.sha256(), 0
    with open(path, "rb") as stream:
        while chunk := stream.read(CHUNK):
            sha.update(chunk)
            size += len(chunk)
    return sha.hexdigest(), size
