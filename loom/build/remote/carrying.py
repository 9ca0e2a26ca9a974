"""Blobs given to a place that may have them already: it is asked first, and each is sent at most once.

In: blobs by digest. Out: the place has them. Never: a question whose answer is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from loom.base import Digest
from loom.build.remote.known import Known
from loom.build.remote.places.loads import Load
from loom.build.remote.places.transport import RemoteTooLarge, Transport
from loom.build.remote.together import together
from loom.build.remote.traffic import Traffic

Sources = Mapping[Digest, bytes | str]
"""The bytes of each blob, or the path of a file that holds them; looked up for those that are sent."""


class Carrier:
    """`carry` may be called by several threads; `known` learns what is there."""

    def __init__(self, transport: Transport, known: Known, traffic: Traffic, pool: ThreadPoolExecutor) -> None:
        self._transport = transport
        self._known = known
        self._traffic = traffic
        self._pool = pool

    def carry(self, sources: Sources) -> set[Digest]:
        """Those that are too large for the place; it has all others then."""
        loads = self._transport.loads(sorted(self._known.doubted(sources) | self.lacking(sources)))
        return set().union(*together(self._pool, lambda load: self._give_load(load, sources), loads))

    def lacking(self, sources: Sources) -> set[Digest]:
        """Those that it does not have, of all of which nothing is known."""
        questions = self._transport.questions(self._known.open(sources))
        return set().union(*together(self._pool, self._lacking, questions))

    def _lacking(self, load: Load) -> set[Digest]:
        lacking = self._transport.lacking(load)
        self._known.there(set(load) - lacking)
        return lacking

    def _give_load(self, load: Load, sources: Sources) -> set[Digest]:
        try:
            self._transport.give([(digest, sources[digest]) for digest in load])
        except RemoteTooLarge:
            if len(load) == 1:
                return set(load)
            return set().union(*(self._give_load((digest,), sources) for digest in load))
        self._known.there(load)
        self._traffic.add(up=sum(digest.size for digest in load))
        return set()
