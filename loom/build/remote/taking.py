"""Blobs taken from elsewhere into the content store.

In: digests. Out: all of these bytes in the store, each checked.
Never: more bytes of a blob than announced, or bytes that do not match their digest.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from loom.base import Digest
from loom.build.remote.known import Known
from loom.build.remote.places.loads import Load
from loom.build.remote.places.transport import RemoteAbsent, RemoteFailed, Transport
from loom.build.remote.together import together
from loom.build.remote.traffic import Traffic
from loom.build.store.atomic import AtomicWriter, Readable
from loom.build.store.content import ContentStore

_WORKERS = 8


class RemoteDamaged(Exception):
    """It gave something that cannot be right."""


class Taker:
    """`known` learns what is there, and what must not be relied on."""

    def __init__(self, transport: Transport, content: ContentStore, known: Known, traffic: Traffic) -> None:
        self._transport = transport
        self._content = content
        self._known = known
        self._traffic = traffic
        self._writer = AtomicWriter(content.root)
        self._writing = threading.Lock()
        self._pool = ThreadPoolExecutor(_WORKERS, "loom-take")

    def take(self, blobs: Iterable[Digest]) -> None:
        """RemoteAbsent, RemoteFailed or RemoteDamaged unless the store has all of them then."""
        lacking = sorted({blob for blob in blobs if not self._content.has(blob)})
        if any(blob.size == 0 for blob in lacking):
            self._content.put(b"")
        try:
            together(self._pool, self._take, self._transport.loads(blob for blob in lacking if blob.size))
        except (RemoteAbsent, RemoteDamaged):
            # It may still say that it has them, the ones that nobody came to ask for too.
            # kept by tests/engine/remote/test_hostile_remote.py::test_blob_that_is_there_by_name_only_is_sent_again
            self._known.doubt(blob for blob in lacking if not self._content.has(blob))
            raise

    def close(self, *, wait: bool) -> None:
        self._pool.shutdown(wait=wait, cancel_futures=True)

    def _take(self, load: Load) -> None:
        waiting = set(load)
        whole: list[tuple[Digest, bytes]] = []
        with closing(self._transport.take(load)) as found:
            for digest, source in found:
                if digest not in waiting:
                    raise RemoteFailed("sends what it was not asked for")
                waiting.discard(digest)
                if isinstance(source, bytes):
                    whole.append((digest, source))
                else:
                    self._keep_stream(digest, source)
        if waiting:
            raise RemoteFailed("leaves out what it was asked for")
        self._keep(whole)
        self._known.there(load)
        self._traffic.add(down=sum(digest.size for digest in load))

    def _keep(self, whole: list[tuple[Digest, bytes]]) -> None:
        """One thread at a time: writing is many short calls, and several threads would wake each other at each."""
        with self._writing:
            for digest, data in whole:
                _check(digest, Digest.of(data))
                self._writer.write(self._content.path(digest.sha256), data)

    def _keep_stream(self, digest: Digest, source: Readable) -> None:
        temporary, sha256, size = self._writer.copy(_Limited(source, digest.size))
        try:
            _check(digest, Digest(sha256, size))
        except RemoteDamaged:
            os.unlink(temporary)
            raise
        self._writer.keep(temporary, self._content.path(digest.sha256))


def _check(wanted: Digest, found: Digest) -> None:
    if wanted != found:
        raise RemoteDamaged("a blob has other bytes than its digest says")


class _Limited:
    """Ends with an error as soon as there are more bytes than announced."""

    def __init__(self, stream: Readable, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int, /) -> bytes:
        piece = self._stream.read(min(size, self._left + 1))
        self._left -= len(piece)
        if self._left < 0:
            raise RemoteDamaged("a blob is longer than its digest says")
        return piece
