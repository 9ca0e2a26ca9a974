"""Reads the fields of a stored result, which anything may have written.

In: JSON. Out: the field, of the type that it must have, or BadEntry. Never: a guess.
"""

from __future__ import annotations

from loom.base import Digest
from loom.build.store.atomic import Json

DIAGNOSTICS = "diagnostics"
"""The part of a step that holds its diagnostics; WHOLE is the only other one where it gives a single value."""
WHOLE = "value"


class BadEntry(Exception):
    """An entry that has the right key but not the right shape: a miss."""


def rows(data: Json, name: str) -> list[Json]:
    """The list called `name` of an object, else BadEntry; `text` and `number` likewise."""
    found = data.get(name) if isinstance(data, dict) else None
    if not isinstance(found, list):
        raise BadEntry(name)
    return found


def text(data: Json, name: str) -> str:
    found = data.get(name) if isinstance(data, dict) else None
    if not isinstance(found, str):
        raise BadEntry(name)
    return found


def number(data: Json, name: str) -> int:
    found = data.get(name) if isinstance(data, dict) else None
    if not isinstance(found, int):
        raise BadEntry(name)
    return found


def digest(data: Json, name: str) -> Digest:
    """A pair of SHA-256 and size."""
    match data.get(name) if isinstance(data, dict) else None:
        case [str(sha256), int(size)]:
            return Digest(sha256, size)
        case _:
            raise BadEntry(name)
