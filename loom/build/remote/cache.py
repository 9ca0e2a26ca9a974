"""Results shared with others: taken when the store lacks them, given when they were made here.

In: keys. Out: whether the store now has the result; complaints, each kind once.
Never: a result before all its blobs, bytes that do not match their digest, or a build that fails because of it
(unless that was asked for).
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from loom.base import Digest
from loom.build.project.problem import ProjectProblem
from loom.build.remote.breaker import Breaker
from loom.build.remote.entry import ENTRY, Declared, Needed, checked, shared_files
from loom.build.remote.traffic import Traffic
from loom.build.remote.transport import RESULT_LIMIT, RemoteAbsent, RemoteFailed, Transport
from loom.build.remote.wire import SharedFile, WireError, decode_result, encode_result
from loom.build.store.atomic import AtomicWriter, Readable, canonical_json
from loom.build.store.content import ContentStore
from loom.build.store.entries import BadEntry
from loom.build.store.results import ResultStore

T = TypeVar("T")
_WORKERS = 8
_FLUSH = 300.0


class RemoteDamaged(Exception):
    """It gave something that cannot be right."""


class RemoteCache:
    """`required` turns every failure into a ProjectProblem; `uploads` says whether results are given."""

    def __init__(
        self, transport: Transport, content: ContentStore, results: ResultStore, *, required: bool, uploads: bool
    ) -> None:
        self._transport = transport
        self._content = content
        self._results = results
        self._required = required
        self._uploads = uploads
        self._writer = AtomicWriter(f"{content.root}/tmp")
        self._reading, self._writing = Breaker(), Breaker()
        self._takers = ThreadPoolExecutor(_WORKERS, "loom-take")
        self._givers = ThreadPoolExecutor(_WORKERS // 2, "loom-give")
        self._carriers = ThreadPoolExecutor(_WORKERS, "loom-carry")
        self._sending: list[Future[None]] = []
        self._damaged: set[Digest] = set()
        self._told: set[str] = set()
        self._lock = threading.Lock()
        self.traffic = Traffic()

    @property
    def name(self) -> str:
        return self._transport.name

    def fetch(self, key: str, declared: Declared) -> bool:
        """Whether the result of `key` is in the stores now, complete."""
        try:
            found = self._guarded(self._reading, lambda: self._fetch(key, declared))
        except RemoteAbsent:
            self._reading.worked()
            return False
        except RemoteDamaged as damaged:
            self.refuse(key, str(damaged))
            return False
        return bool(found)

    def refuse(self, key: str, why: str) -> None:
        self.traffic.fetched.discard(key)
        self._complain("damaged", f"gave a wrong result for {key[:12]}, which is not used: {why}")

    def push(self, key: str) -> None:
        """Gives a result that is in the stores; in the background, unless it is required to arrive."""
        if not self._uploads:
            return
        if self._required:
            self._give(key)
        else:
            self._sending.append(self._givers.submit(self._give, key))

    def close(self, *, abandon: bool = False) -> None:
        """Waits for what is on its way, but not for ever; `abandon` drops it."""
        done, late = wait(self._sending, timeout=0 if abandon else _FLUSH)
        if late and not abandon:
            self._complain("late", f"is too slow: {len(late)} results were not given")
        for broken in filter(None, (future.exception() for future in done if not future.cancelled())):
            self._complain("broken", f"was not given everything: {broken}")
        for pool in (self._takers, self._givers, self._carriers):
            pool.shutdown(wait=not late, cancel_futures=True)
        self._transport.close()

    def _guarded(self, breaker: Breaker, attempt: Callable[[], T]) -> T | None:
        if not breaker.allows():
            return None
        try:
            done = attempt()
        except RemoteFailed as failed:
            breaker.failed()
            if self._required:
                raise ProjectProblem(f"the shared cache {self.name} {failed}, and it is required") from None
            self._complain("failed", f"{failed}; going on without it")
            return None
        breaker.worked()
        return done

    def _complain(self, kind: str, text: str) -> None:
        with self._lock:
            known = kind in self._told
            self._told.add(kind)
        if not known:
            sys.stderr.write(f"WARNING: the shared cache {self.name} {text}\n")

    def _fetch(self, key: str, declared: Declared) -> bool:
        data = self._transport.result(key)
        self.traffic.add(down=len(data))
        try:
            entry, needed = checked(key, self._entry(decode_result(data)), declared)
        except (WireError, BadEntry) as error:
            raise RemoteDamaged(str(error)) from None
        self._take(needed)
        self._results.write(key, entry)
        self.traffic.fetched.add(key)
        return True

    def _entry(self, files: list[SharedFile]) -> bytes:
        """The entry among the files of a result: sent along, or a blob."""
        found = [file for file in files if file.path == ENTRY]
        if len(found) != 1 or found[0].digest.size > RESULT_LIMIT:
            raise RemoteDamaged("is not of Loom")
        digest, contents = found[0].digest, found[0].contents
        if contents:
            if Digest.of(contents) != digest:
                raise RemoteDamaged("holds other bytes than it says")
            return contents
        self._take_blob(digest)
        return self._content.get(digest)

    def _take(self, needed: Needed) -> None:
        lacking = sorted({blob for blob in needed.blobs if not self._content.has(blob)})
        if len(lacking) == 1:
            self._take_blob(lacking[0])
        else:
            _together(self._takers, self._take_blob, lacking)
        for data in needed.made:
            self._content.put(data)

    def _take_blob(self, digest: Digest) -> None:
        if digest.size == 0:
            self._content.put(b"")
            return
        with self._transport.blob(digest) as stream:
            temporary, sha256, size = self._writer.copy(_Limited(stream, digest.size))
        self.traffic.add(down=size)
        if (sha256, size) == digest:
            self._writer.keep(temporary, self._content.path(sha256))
            return
        os.unlink(temporary)
        self._damaged.add(digest)
        raise RemoteDamaged("a blob has other bytes than its digest says")

    def _give(self, key: str) -> None:
        """Blobs first, so that nobody finds a result without them."""
        self._guarded(self._writing, lambda: self._send(key))

    def _send(self, key: str) -> None:
        entry = self._results.read(key)
        if entry is None:
            return
        data = canonical_json(entry)
        own, *files = shared_files(entry, data)
        if not all(self._content.has(file.digest) for file in files):
            return  # tidied away meanwhile
        _together(self._carriers, self._send_stored, [file.digest for file in files])
        self._send_blob(own.digest, data)
        result = encode_result([own, *files])
        self._transport.put_result(key, result)
        self.traffic.add(up=len(result), sent=1)

    def _send_stored(self, digest: Digest) -> None:
        self._send_blob(digest, self._content.path(digest.sha256))

    def _send_blob(self, digest: Digest, source: bytes | str) -> None:
        """A blob that turned out to be damaged there is sent again, although it is there."""
        if digest.size == 0 or (digest not in self._damaged and self._transport.has(digest)):
            return
        self._transport.put_blob(digest, source)
        self.traffic.add(up=digest.size)


def _together(pool: ThreadPoolExecutor, work: Callable[[Digest], None], blobs: Iterable[Digest]) -> None:
    """All of them or an error, as soon as there is one."""
    futures = [pool.submit(work, blob) for blob in blobs]
    try:
        for future in futures:
            future.result()
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


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
