"""Stored results on their way to and from a shared cache.

In: result entries of `ac/`. Out: the ActionResult that stands for one, and, back, what it needs to be complete.
Never: an entry under another key, one that failed, one whose outputs are not those that were declared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from loom.base import Digest
from loom.build.remote.places.transport import BLOB_LIMIT
from loom.build.remote.protocol.wire import SharedFile, encode_folder, encode_result, encode_tree, is_sha256
from loom.build.store.atomic import Json, canonical_json
from loom.build.store.entries import BadEntry, digest, number, rows, text
from loom.build.store.results import SCHEMA
from loom.build.store.tree import TreeError

ENTRY = ".loom/result.json"
# Small enough to be sent along, which saves a question.
_INLINE = 32 << 10
_BLOBS = ".loom/blobs"
_LISTED = 2_000
_TOTAL = 32 << 30


class Needed(NamedTuple):
    """What must be in the content store before a result may be: bytes to fetch, and bytes that follow from it."""

    blobs: tuple[Digest, ...]
    made: tuple[bytes, ...] = ()


Declared = Callable[[str, dict[str, Json]], Needed]
"""Given a key and its entry: BadEntry or TreeError unless it is what the asker expects."""


class Shared(Protocol):
    """Where others keep results."""

    def fetch(self, key: str, declared: Declared) -> bool:
        """Whether the stores have the result of `key` now."""
        ...

    def refuse(self, key: str, why: str) -> None:
        """What came for `key` is not what it must be."""
        ...

    def push(self, key: str) -> None:
        """Gives a result that the stores have."""
        ...


class Sending(NamedTuple):
    """A result as it goes out: the blobs that the store has, those that are made for it, and the ActionResult."""

    stored: tuple[Digest, ...]
    made: tuple[tuple[Digest, bytes], ...]
    result: bytes


def sending(entry: dict[str, Json]) -> Sending:
    """The ActionResult names the entry itself and all that it names, so that servers keep them together."""
    data = canonical_json(entry)
    own = SharedFile(ENTRY, Digest.of(data), data if len(data) <= _INLINE else b"")
    stored = tuple(sorted(set(entry_blobs(entry))))
    if len(stored) <= _LISTED:
        named = [SharedFile(f"{_BLOBS}/{one.sha256}", one) for one in stored]
        return Sending(stored, ((own.digest, data),), encode_result([own, *named]))
    # A message that lists so many would be larger than servers take: they are the files of a folder.
    # kept by tests/engine/remote/test_batches.py::test_result_of_many_files_is_shared
    tree = encode_tree(SharedFile(one.sha256, one) for one in stored)
    digest = Digest.of(tree)
    return Sending(stored, ((own.digest, data), (digest, tree)), encode_result([own]) + encode_folder(_BLOBS, digest))


def entry_blobs(entry: dict[str, Json]) -> list[Digest]:
    """Every blob that a result names; a step's outputs lie in its bundle."""
    if "bundle" in entry:
        return [digest(entry, "bundle")]
    files = [row for row in rows(entry, "outputs") if isinstance(row, dict) and "sha256" in row]
    named = [Digest(text(row, "sha256"), number(row, "size")) for row in [*files, *rows(entry, "trees")]]
    return [*named, *(digest(entry, name) for name in ("stdout", "stderr", "preimage"))]


def parsed_entry(key: str, data: bytes) -> dict[str, Json]:
    """BadEntry unless it is a successful result of exactly this key."""
    try:
        entry = json.loads(data)
    except (ValueError, RecursionError):
        raise BadEntry("is no JSON") from None
    if not isinstance(entry, dict) or entry.get("schema") != SCHEMA:
        raise BadEntry("is no result")
    if not _is_canonical(entry, data):
        raise BadEntry("is not spelt as results are")
    if entry.get("key") != key:
        raise BadEntry("belongs to another key")
    if entry.get("exit") != 0 or isinstance(entry.get("exit"), bool):
        raise BadEntry("is of something that failed")
    if digest(entry, "preimage").sha256 != key:
        raise BadEntry("has a preimage of another key")
    return entry


def _is_canonical(entry: dict[str, Json], data: bytes) -> bool:
    """Else two readers might understand it in two ways, or it could not be stored."""
    try:
        return canonical_json(entry) == data
    except (ValueError, RecursionError):
        return False


def checked(key: str, data: bytes, declared: Declared) -> tuple[dict[str, Json], Needed]:
    """The entry and what it needs; BadEntry says what is wrong with it."""
    try:
        entry = parsed_entry(key, data)
        needed = declared(key, entry)
    except TreeError as error:
        raise BadEntry(str(error)) from None
    _check_sizes(needed.blobs)
    return entry, needed


def _check_sizes(blobs: Iterable[Digest]) -> None:
    total = 0
    for sha256, size in blobs:
        if not is_sha256(sha256) or not 0 <= size <= BLOB_LIMIT:
            raise BadEntry("names a blob that cannot be")
        total += size
    if total > _TOTAL:
        raise BadEntry("is larger than any result may be")
