"""The name that a misspelt one most likely meant."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from itertools import takewhile
from operator import eq

# A comparison costs as much as a token: thousands of mistakes among thousands of names would be minutes.
# kept by tests/unit/base/test_nearest.py
MOST_COMPARED = 100


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to `name`, or the empty string when none is close."""
    return _nearest(name, frozenset(known))


def misspelt(given: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The known names that unknown ones among the given most likely meant: these are not missing as well."""
    names, free = set(given), set(known)
    return frozenset(nearest(name, free - names) for name in names - free) - {""}


@lru_cache(maxsize=256)
def _nearest(name: str, known: frozenset[str]) -> str:
    candidates = sorted(_alike(name, known - {name}))
    by_case = [item for item in candidates if item.lower() == name.lower()]
    matches = by_case or get_close_matches(name, candidates, n=1, cutoff=0.6)
    return matches[0] if matches else ""


def _alike(name: str, known: frozenset[str]) -> Iterable[str]:
    """Of many names those that begin and end most like it, and those that are it in another case."""
    if len(known) <= MOST_COMPARED:
        return known
    lowered = name.lower()
    by_case = [item for item in known if item.lower() == lowered]
    return by_case or heapq.nsmallest(MOST_COMPARED, known, key=lambda item: (-_shared(name, item), item))


def _shared(one: str, other: str) -> int:
    """How many letters both have in common at their ends."""
    return _shared_first(one, other) + _shared_first(one[::-1], other[::-1])


def _shared_first(one: str, other: str) -> int:
    return sum(takewhile(bool, map(eq, one, other)))
