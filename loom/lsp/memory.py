"""The two stores of the engine in memory, for text that nobody has saved.

In: blobs and entries. Out: the same, as long as the process lives. Never: a file.
"""

from __future__ import annotations

from pathlib import Path

from loom.base import Digest
from loom.build.store.atomic import Json
from loom.build.store.content import BlobLost, ContentStore
from loom.build.store.results import ResultStore

_NOWHERE = Path("/nonexistent")


class MemoryContent(ContentStore):
    """Only what a step runner needs."""

    def __init__(self) -> None:
        super().__init__(_NOWHERE)
        self._held: dict[str, bytes] = {}

    def has(self, digest: Digest) -> bool:
        return digest.sha256 in self._held

    def put(self, data: bytes) -> Digest:
        digest = Digest.of(data)
        self._held[digest.sha256] = data
        return digest

    def part(self, bundle: str, offset: int, digest: Digest) -> bytes:
        if bundle not in self._held:
            raise BlobLost(digest.sha256, "is not in memory")
        return self._held[bundle][offset : offset + digest.size]


class MemoryResults(ResultStore):
    def __init__(self) -> None:
        super().__init__(_NOWHERE)
        self._entries: dict[str, dict[str, Json]] = {}

    def read(self, key: str) -> dict[str, Json] | None:
        return self._entries.get(key)

    def write(self, key: str, fields: dict[str, Json]) -> None:
        self._entries[key] = fields
