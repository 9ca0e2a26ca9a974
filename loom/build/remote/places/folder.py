"""Results shared through a folder: `ac/<action>` and `cas/<sha256>`, the names that HTTP caches use too.

In: digests. Out: bytes. Never: a file that is half written, or a link that is followed.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from loom.base import Digest
from loom.build.remote.places.loads import Load, one_by_one
from loom.build.remote.places.transport import RESULT_LIMIT, Parcel, RemoteAbsent, RemoteFailed, Taken
from loom.build.store.atomic import LOST, AtomicWriter, Readable


class FolderTransport:
    questions = loads = staticmethod(one_by_one)

    def __init__(self, folder: str) -> None:
        self.name = f"file://{folder}"
        self._folder = folder
        self._writer = AtomicWriter(folder)

    def result(self, action: Digest) -> bytes:
        with self._opened(f"{self._folder}/ac/{action.sha256}") as stream:
            return stream.read(RESULT_LIMIT)

    def lacking(self, load: Load) -> set[Digest]:
        return {digest for digest in load if not self._has(digest)}

    def take(self, load: Load) -> Taken:
        for digest in load:
            with self._opened(self._blob(digest)) as stream:
                yield digest, stream

    def give(self, parcels: Sequence[Parcel]) -> None:
        self._must_be_there()
        for digest, source in parcels:
            with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as stream:
                try:
                    temporary, _, _ = self._writer.copy(stream)
                    self._writer.keep(temporary, self._blob(digest))
                except OSError as error:
                    raise self._failed(error) from error

    def put_result(self, action: Digest, data: bytes) -> None:
        self._must_be_there()
        try:
            self._writer.write(f"{self._folder}/ac/{action.sha256}", data)
        except OSError as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _has(self, digest: Digest) -> bool:
        try:
            found = os.lstat(self._blob(digest))
        except OSError:
            return False
        return stat.S_ISREG(found.st_mode) and found.st_size == digest.size

    def _blob(self, digest: Digest) -> str:
        return f"{self._folder}/cas/{digest.sha256}"

    @contextmanager
    def _opened(self, path: str) -> Iterator[Readable]:
        """Touches it: whoever tidies the folder sees what is in use."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            self._must_be_there()
            if error.errno in LOST or error.errno == errno.ELOOP:
                raise RemoteAbsent(path) from None
            raise self._failed(error) from error
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise RemoteAbsent(path)
        with os.fdopen(handle, "rb") as stream:
            with contextlib.suppress(OSError):
                os.utime(handle)
            yield stream

    def _must_be_there(self) -> None:
        """A share that is not mounted is no empty cache, and nothing is to be written where it will be."""
        if not os.path.isdir(self._folder):
            raise RemoteFailed("is a folder that is not there (make it, or mount it)")

    def _failed(self, error: OSError) -> RemoteFailed:
        return RemoteFailed(f"cannot be used: {error.filename or self._folder}: {error.strerror}")
