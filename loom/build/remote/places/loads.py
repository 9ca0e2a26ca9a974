"""Blobs that travel together, and digests that are asked about together.

In: digests. Out: the same in groups, in their order. Never: a group past its limit, unless it is a single blob.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from loom.base import Digest

Load = tuple[Digest, ...]

# What a digest and the fields around it take in a message.
FRAME = 128


def one_by_one(digests: Iterable[Digest]) -> Iterator[Load]:
    return ((digest,) for digest in digests)


def by_number(digests: Iterable[Digest], most: int) -> Iterator[Load]:
    rest = iter(digests)
    while load := tuple(islice(rest, most)):
        yield load


def by_size(digests: Iterable[Digest], most: int) -> Iterator[Load]:
    """Messages of at most that many bytes; what is larger by itself is alone."""
    load: list[Digest] = []
    size = 0
    for digest in digests:
        more = digest.size + FRAME
        if load and size + more > most:
            yield tuple(load)
            load, size = [], 0
        load.append(digest)
        size += more
    if load:
        yield tuple(load)


def fits(load: Load, most: int) -> bool:
    return sum(digest.size + FRAME for digest in load) <= most
