"""Results given to others, several at once: what they share is asked about and sent once.

In: keys of results that the stores have. Out: the place has them.
Never: a result before all its blobs, one whose blobs the store has lost, or a question whose answer is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from loom.build.remote.carrying import Carrier, Sources
from loom.build.remote.known import Known
from loom.build.remote.places.transport import RemoteTooLarge, Transport
from loom.build.remote.protocol.entry import entry_blobs, sending
from loom.build.remote.protocol.naming import action_of
from loom.build.remote.together import together
from loom.build.remote.traffic import Traffic
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from loom.build.trust.policy import Trust

_WORKERS = 8


class Ready(NamedTuple):
    """A result that can be given."""

    key: str
    result: bytes
    sources: Sources


class Giver:
    """`give` may be called by several threads."""

    def __init__(
        self,
        transport: Transport,
        content: ContentStore,
        results: ResultStore,
        known: Known,
        traffic: Traffic,
        trust: Trust,
    ) -> None:
        self._transport = transport
        self._content = content
        self._results = results
        self._traffic = traffic
        self._trust = trust
        self._pool = ThreadPoolExecutor(_WORKERS, "loom-carry")
        self._carrier = Carrier(transport, known, traffic, self._pool)

    def give(self, keys: Sequence[str]) -> list[str]:
        """The keys of results that are too large for the place; RemoteFailed when anything else goes wrong."""
        ready = [found for key in keys if (found := self._ready(key))]
        refused = self._carrier.carry({digest: source for one in ready for digest, source in one.sources.items()})
        whole = [one for one in ready if refused.isdisjoint(one.sources)]
        taken = together(self._pool, self._give_result, whole)
        return [one.key for one in ready if one not in whole] + [
            one.key for one, good in zip(whole, taken, strict=True) if not good
        ]

    def close(self, *, wait: bool) -> None:
        self._pool.shutdown(wait=wait, cancel_futures=True)

    def _ready(self, key: str) -> Ready | None:
        """None for what was tidied away meanwhile."""
        entry = self._results.read(key)
        if entry is None or not all(self._content.has(digest) for digest in entry_blobs(entry)):
            return None
        parcels = sending(self._trust.prepared(entry))
        stored = {digest: self._content.path(digest.sha256) for digest in parcels.stored if digest.size}
        return Ready(key, parcels.result, {**stored, **dict(parcels.made)})

    def _give_result(self, ready: Ready) -> bool:
        try:
            self._transport.put_result(action_of(ready.key, self._trust.namespace), ready.result)
        except RemoteTooLarge:
            return False
        self._traffic.add(up=len(ready.result), sent=1)
        return True
