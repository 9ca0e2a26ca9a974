"""Identifiers minted by the application."""

from __future__ import annotations

from uuid6 import uuid7


def new_id() -> str:
    """A UUIDv7 in lower case; later ids sort after earlier ones."""
    return str(uuid7())
