"""Paths of requests: as clients write them, and as routes are matched."""

from __future__ import annotations

import re
from urllib.parse import unquote

from starlette.types import Scope

# A request may name scheme and host before the path.
_ORIGIN = re.compile("[a-z][a-z0-9+.-]*://[^/]*", re.IGNORECASE)
_ESCAPED_SLASH = re.compile("%2f", re.IGNORECASE)


def sent_path(scope: Scope) -> str:
    """The path as it was sent, without the query."""
    raw: bytes = scope["raw_path"]
    sent = raw.decode("latin-1")
    origin = _ORIGIN.match(sent)
    return sent if origin is None else sent[origin.end() :] or "/"


def routed_path(scope: Scope) -> str:
    """The path decoded, but for slashes that were escaped: they separate nothing."""
    return unquote(_ESCAPED_SLASH.sub("%252F", sent_path(scope)))
