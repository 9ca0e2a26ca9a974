"""Stage values by digest, several of them in one blob: making a file costs more than most steps.

In: values to keep, digests to load. Out: bundles in the content store; each value decoded at most once a run.
Never: a value whose bytes do not match its own digest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loom.base import Digest
from loom.build.store.codec import from_bytes, to_bytes
from loom.build.store.content import BlobLost, ContentStore


class Place(NamedTuple):
    """Where in a blob a value lies."""

    bundle: str
    offset: int


class Values:
    """Values lie end to end in a bundle, in the order in which their digests are listed."""

    def __init__(self, content: ContentStore) -> None:
        self._content = content
        self._known: dict[str, object] = {}
        self._places: dict[str, Place] = {}

    def known(self, sha256: str) -> object | None:
        """The value, if it is in memory."""
        return self._known.get(sha256)

    def load(self, sha256: str, size: int) -> object:
        """BlobLost when the store has lost it, or has bytes that are no value here, whoever wrote them."""
        if sha256 not in self._known:
            place = self._places[sha256]
            data = self._content.part(place.bundle, place.offset, Digest(sha256, size))
            try:
                self._known[sha256] = from_bytes(data)
            except ValueError as error:
                raise BlobLost(sha256, f"is not what a step gives: {error}") from error
        return self._known[sha256]

    def keep(self, values: Iterable[object], preimage: bytes) -> tuple[tuple[Digest, ...], Digest]:
        """Digests of the values, and of the bundle that holds them and, last, the preimage of their key."""
        found = list(values)
        texts = [to_bytes(value) for value in found]
        digests = tuple(map(Digest.of, texts))
        bundle = self._content.put(b"".join([*texts, preimage]))
        for digest, value in zip(digests, found, strict=True):
            self._known.setdefault(digest.sha256, value)
        return digests, bundle

    def locate(self, digests: Iterable[Digest], bundle: str) -> None:
        """Says where values lie that another run kept."""
        offset = 0
        for digest in digests:
            self._places[digest.sha256] = Place(bundle, offset)
            offset += digest.size
