"""What all code that serves one request shares: its id and its instant."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

from app.values.instants import current_instant


@dataclass(frozen=True)
class RequestFrame:
    """One request as logs and clocks see it."""

    request_id: str
    now: datetime = field(default_factory=current_instant)


current_frame: ContextVar[RequestFrame | None] = ContextVar("current_frame", default=None)


def now() -> datetime:
    """The instant of the request: every reading within one request is the same."""
    frame = current_frame.get()
    return current_instant() if frame is None else frame.now
