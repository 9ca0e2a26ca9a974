"""How much a store may hold, and for how long.

In: texts such as `20GiB` and `30d`. Out: numbers. Never: a guess at what a misspelt size means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_SIZES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SPANS = {"h": 3600, "d": 86400}
GRACE = 3600.0
"""Seconds that whatever is new is spared: somebody may be about to name it."""


class Keep(NamedTuple):
    """Bytes at most, seconds at most since the last use, and bytes to leave free on the disk."""

    size: int = 20 << 30
    age: int = 30 * 86400
    free: int = 2 << 30


def keep_of(said: Mapping[str, str], keep: Keep = Keep()) -> Keep:  # noqa: B008 - a frozen value
    """`keep` with what was said over it; ValueError names the field that is wrong."""
    found: dict[str, int] = {}
    for name, text in said.items():
        try:
            found |= {name: amount(name, text)} if text else {}
        except ValueError as wrong:
            raise ValueError(f"keep: `{name}`: {wrong}") from None
    return keep._replace(**found)


def keep_from(environment: Mapping[str, str], plain: tuple[int, ...]) -> Keep:
    """What loom.yaml says, with `LOOM_KEEP_SIZE`, `LOOM_KEEP_AGE` and `LOOM_KEEP_FREE` over it."""
    said = {name: environment.get(f"LOOM_KEEP_{name.upper()}", "") for name in Keep._fields}
    return keep_of(said, Keep(*plain))


def amount(name: str, text: str) -> int:
    """Bytes or seconds; ValueError says what is wrong with the text."""
    units = _SPANS if name == "age" else _SIZES
    found = re.fullmatch(rf"([0-9]{{1,12}})({'|'.join(units)})", text)
    if found is None:
        raise ValueError(f"`{text}` must be a number and one of {', '.join(units)}")
    return int(found[1]) * units[found[2]]


def shown(size: int) -> str:
    """A size for people."""
    for unit, worth in reversed(_SIZES.items()):
        if size >= worth:
            return f"{size / worth:.1f} {unit}"
    return f"{size} bytes"
