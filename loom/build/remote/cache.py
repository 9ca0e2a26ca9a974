"""Results shared with others: taken when the store lacks them, given when they were made here.

In: keys. Out: whether the store now has the result; complaints, each kind once.
Never: a result before all its blobs, bytes that do not match their digest, or a build that fails because of it
(unless that was asked for).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from loom.base import Digest
from loom.build.project.problem import ProjectProblem
from loom.build.remote.breaker import Breaker
from loom.build.remote.giving import Giver
from loom.build.remote.known import Known
from loom.build.remote.places.transport import RESULT_LIMIT, RemoteAbsent, RemoteFailed, Transport
from loom.build.remote.protocol.entry import ENTRY, Declared, checked
from loom.build.remote.protocol.naming import action_of
from loom.build.remote.protocol.wire import SharedFile, WireError, decode_result
from loom.build.remote.taking import RemoteDamaged, Taker
from loom.build.remote.traffic import Traffic
from loom.build.store.content import ContentStore
from loom.build.store.entries import BadEntry
from loom.build.store.results import ResultStore
from loom.build.store.unsound import is_unsound
from loom.build.terminal import harmless
from loom.build.trust.policy import Trust

T = TypeVar("T")
_GIVERS = 4
_FLUSH = 300.0
# Results that are given together; what waits longer than a round trip goes in groups.
_GROUP = 64


class RemoteCache:
    """`required` turns every failure into a ProjectProblem; `uploads` says whether results are given."""

    def __init__(
        self,
        transport: Transport,
        content: ContentStore,
        results: ResultStore,
        *,
        required: bool,
        uploads: bool,
        trust: Trust | None = None,
    ) -> None:
        self.traffic = Traffic()
        known = Known()
        self._transport = transport
        self._content = content
        self._results = results
        self._required = required
        self._uploads = uploads
        self._trust = trust or Trust()
        self._reading, self._writing = Breaker(), Breaker()
        self._taker = Taker(transport, content, known, self.traffic)
        self._giver = Giver(transport, content, results, known, self.traffic, self._trust)
        self._givers = ThreadPoolExecutor(_GIVERS, "loom-give")
        self._sending: list[Future[None]] = []
        self._waiting: list[str] = []
        self._told: set[str] = set()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._transport.name

    def fetch(self, key: str, declared: Declared) -> bool:
        """Whether the result of `key` is in the stores now, complete."""
        return any(self._fetched(key, namespace, declared) for namespace in self._trust.read)

    def _fetched(self, key: str, namespace: str, declared: Declared) -> bool:
        try:
            found = self._guarded(self._reading, lambda: self._fetch(key, namespace, declared))
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
        if not self._uploads or is_unsound(self._content.root, key):
            return
        if self._trust.unheard:
            self._complain("unheard", self._trust.unheard)
            return
        if self._required:
            self._give([key])
            return
        with self._lock:
            self._waiting.append(key)
        self._sending.append(self._givers.submit(self._give_waiting))

    def close(self, *, abandon: bool = False) -> None:
        """Waits for what is on its way, but not for ever; `abandon` drops it."""
        done, late = wait(self._sending, timeout=0 if abandon else _FLUSH)
        if late and not abandon:
            self._complain("late", "is too slow: not all results were given")
        for broken in filter(None, (future.exception() for future in done if not future.cancelled())):
            self._complain("broken", f"was not given everything: {broken}")
        self._givers.shutdown(wait=not late, cancel_futures=True)
        self._giver.close(wait=not late)
        self._taker.close(wait=not late)
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
            self._complain_of_failure(failed, breaker)
            return None
        breaker.worked()
        return done

    def _complain_of_failure(self, failed: RemoteFailed, breaker: Breaker) -> None:
        """Who takes nothing is still asked. Of who cannot even be asked, that goes without saying."""
        if breaker is self._reading:
            self._complain("failed", f"{failed}; going on without it")
        elif "failed" not in self._told:
            self._complain("ungiven", f"{failed}; going on without giving it results")

    def _complain(self, kind: str, text: str) -> None:
        with self._lock:
            known = kind in self._told
            self._told.add(kind)
        if not known:
            sys.stderr.write(f"WARNING: the shared cache {self.name} {harmless(text)}\n")

    def _fetch(self, key: str, namespace: str, declared: Declared) -> bool:
        data = self._transport.result(action_of(key, namespace))
        self.traffic.add(down=len(data))
        try:
            entry, needed = checked(key, self._entry(decode_result(data)), declared)
            entry = self._trust.accepted(entry, namespace)
        except (WireError, BadEntry) as error:
            raise RemoteDamaged(str(error)) from None
        self._taker.take(needed.blobs)
        for made in needed.made:
            self._content.put(made)
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
        self._taker.take([digest])
        return self._content.get(digest)

    def _give_waiting(self) -> None:
        """All that has come together since, for whoever comes first."""
        with self._lock:
            keys, self._waiting = self._waiting[:_GROUP], self._waiting[_GROUP:]
        if keys:
            self._give(keys)

    def _give(self, keys: list[str]) -> None:
        large = self._guarded(self._writing, lambda: self._giver.give(keys))
        if large:
            self._complain("large", f"does not take results as large as that of {large[0][:12]}")
