"""The name that a misspelt one most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to `name`, or the empty string when none is close."""
    candidates = sorted(set(known) - {name})
    by_case = [item for item in candidates if item.lower() == name.lower()]
    matches = by_case or get_close_matches(name, candidates, n=1, cutoff=0.6)
    return matches[0] if matches else ""
