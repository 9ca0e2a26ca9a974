"""Optimistic concurrency over HTTP: `If-Match` in, `ETag` out."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Header

from app.errors import StaleVersionError

_VERSION = re.compile(r'(?:"0*([0-9]+)"|0*([0-9]+))')


def _expected_version(if_match: Annotated[str | None, Header()] = None) -> str | None:
    """The digits that the client sent; anything but digits counts as nothing."""
    match = _VERSION.fullmatch(if_match or "")
    return match and (match[1] or match[2])


ExpectedVersion = Annotated[str | None, Depends(_expected_version)]


def check_version(expected: str | None, current: int) -> None:
    """Refuses when the client saw another version than the current one."""
    if expected is not None and expected != str(current):
        raise StaleVersionError


def entity_tag(version: int) -> dict[str, str]:
    return {"ETag": f'"{version}"'}
