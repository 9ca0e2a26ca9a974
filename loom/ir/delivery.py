"""How events travel between contexts, and which of them the clock tells."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.types import Ref


class Delivery(StrEnum):
    BROADCAST = "broadcast"
    QUEUE = "queue"


class Retention(StrEnum):
    EPHEMERAL = "ephemeral"
    LOG = "log"
    WORK = "work"


class Channel(Value):
    """`key` names a field of every event that it carries, or is empty."""

    name: str
    events: tuple[Ref, ...]
    delivery: Delivery
    retention: Retention
    key: str


class ChannelSource(Value):
    name: str
    channel: Ref
    storage: str


class Timer(Value):
    """`cron` has five fields and `seconds` is 0, or `cron` is empty. `zone` is a name of the time zone database."""

    name: str
    event: Ref
    cron: str
    seconds: int
    zone: str
    overlap: bool
