"""Checks a store: every byte against its digest, every result against what it names.

In: a store's folder. Out: what is wrong, a line each; repaired on request.
Never: a change when only a look was asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loom.base import Digest
from loom.build.housekeeping.inventory import blobs, entries
from loom.build.housekeeping.remove import remove_file
from loom.build.store.atomic import CHUNK
from loom.build.store.content import ContentStore, ObservedStore


class Fault(NamedTuple):
    """Something that is wrong, and the file that has to go for it."""

    text: str
    path: str


def faults(root: Path) -> Iterator[Fault]:
    """Damaged blobs first, then results that are garbled or lack something. Others may add to the store meanwhile.

    A result may name blobs that came after they were listed: each of those is looked for where it must lie.
    kept by tests/engine/housekeeping/test_store_check.py::test_what_others_make_during_a_check_is_no_fault
    """
    sizes: dict[str, int] = {}
    for sha256, item in sorted(blobs(root).items()):
        if _sha256(item.path) == sha256:
            sizes[sha256] = item.size
        else:
            yield Fault(f"blob {sha256} is damaged", item.path)
    content = ObservedStore(root)
    for entry in entries(root):
        if entry.blobs is None:
            yield Fault(f"result {entry.key} is garbled", entry.item.path)
            continue
        unlisted = (blob for blob in entry.blobs if sizes.get(blob.sha256) != blob.size)
        lacking = next((blob.sha256 for blob in unlisted if not _has(content, blob)), "")
        if lacking:
            yield Fault(f"result {entry.key} lacks blob {lacking}", entry.item.path)


def _has(content: ContentStore, blob: Digest) -> bool:
    return content.has(blob) and _sha256(content.path(blob.sha256)) == blob.sha256


def repair(found: list[Fault]) -> int:
    """Takes away what is wrong: it counts as never made, and is made again. How many went."""
    return sum(remove_file(fault.path) for fault in found)


def _sha256(path: str) -> str:
    sha = hashlib.sha256()
    try:
        with open(path, "rb") as stream:
            while chunk := stream.read(CHUNK):
                sha.update(chunk)
    except OSError:
        return ""
    return sha.hexdigest()
