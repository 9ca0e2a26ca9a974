"""Events of the domain, and how they reach the rest of the process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from app.identifiers import new_id
from app.log import log


@dataclass(frozen=True, kw_only=True)
class DomainEvent:
    """Something that happened; its class names it."""

    event_id: str = field(default_factory=new_id)


def dispatch(events: Iterable[DomainEvent]) -> None:
    """Hands out events that were committed."""
    for event in events:
        name = type(event).__name__
        log("info", "event_dispatched", event_type=name, event_id=event.event_id)
