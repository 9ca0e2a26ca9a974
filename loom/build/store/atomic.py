"""Files that appear whole or not at all.

In: bytes or a stream and a final path. Out: a read-only file there.
Never: a half-written file under a final name, or a temporary name that two writers share.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import os
import threading
from pathlib import Path
from typing import Protocol, TypeAlias

from loom.build.store.folders import make_folder

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"

# What these mean for a stored file is that it is lost; a lack of descriptors or memory says nothing of it.
LOST = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EIO, errno.EACCES})
CHUNK = 1 << 20
RUN = os.urandom(6).hex()
COUNTER = itertools.count()


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes: ...


class AtomicWriter:
    """Writes through a folder of the store `root`, which is on the file system of the final paths."""

    def __init__(self, root: Path | str) -> None:
        self._root = str(root)
        self._folder = f"{root}/tmp"

    def write(self, path: str, data: bytes) -> None:
        temporary, handle = self._open()
        try:
            write_all(handle, data)
            os.fchmod(handle, 0o444)
        except BaseException:
            os.unlink(temporary)
            raise
        finally:
            os.close(handle)
        self.keep(temporary, path)

    def copy(self, stream: Readable) -> tuple[str, str, int]:
        """A temporary file with all of `stream`, its SHA-256 and its size; holds one chunk at a time."""
        temporary, handle = self._open()
        sha, size = hashlib.sha256(), 0
        try:
            while chunk := stream.read(CHUNK):
                sha.update(chunk)
                size += len(chunk)
                write_all(handle, chunk)
            os.fchmod(handle, 0o444)
        except BaseException:
            os.unlink(temporary)
            raise
        finally:
            os.close(handle)
        return temporary, sha.hexdigest(), size

    def keep(self, temporary: str, path: str) -> None:
        """Give a file that `copy` made its final name."""
        # No fsync: a file that a power cut emptied fails its check on the next read and is made again.
        # kept by tests/engine/core/test_store.py::test_damaged_blob_is_put_aside_and_lost
        try:
            os.rename(temporary, path)
        except FileNotFoundError:
            make_folder(self._root, os.path.dirname(path))
            os.rename(temporary, path)

    def _open(self) -> tuple[str, int]:
        temporary = f"{self._folder}/{RUN}-{os.getpid()}-{threading.get_ident()}-{next(COUNTER)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            return temporary, os.open(temporary, flags, 0o600)
        except FileNotFoundError:
            make_folder(self._root, self._folder)
            return temporary, os.open(temporary, flags, 0o600)


def write_disposable(path: str, data: bytes) -> None:
    """What may be lost at any time: where it cannot be written, the next run is slower and nothing else."""
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def write_all(handle: int, data: bytes) -> None:
    done = os.write(handle, data)
    while done < len(data):
        done += os.write(handle, memoryview(data)[done:])


def canonical_json(data: Json) -> bytes:
    """The one spelling of `data`: sorted keys, no blanks, UTF-8."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
