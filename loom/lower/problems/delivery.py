"""Mistakes in channels, in what they run over, and in timers."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic


class ChannelKeyMissingField(Diagnostic):
    """The key of a channel is read from every event that it carries."""

    message = "event `{event}` has no field `{key}`, the key of the channel"
    help = "did you mean `{nearest}`?"

    event: str
    key: str
    nearest: str


class ChannelsourceTransportInvalid(Diagnostic):
    """The storage is none that carries messages."""

    message = "a `{type}` storage carries no channel"
    help = "use a storage of type redis, rabbitmq or kafka"

    type: str


class ChannelsourceIncompatible(Diagnostic):
    """The storage cannot deliver and keep events as the channel says."""

    message = "a `{type}` storage cannot carry a channel with `delivery: {delivery}` and `retention: {retention}`"
    help = "{hint}"

    type: str
    delivery: str
    retention: str
    hint: str


class ChannelsourceNotYetShipped(Diagnostic):
    """The storage could carry the channel, but there is no driver for it."""

    message = "there is no driver yet for a channel with `delivery: {delivery}` over a `{type}` storage"
    help = "use a storage of type {instead}"

    type: str
    delivery: str
    instead: str


class TimerCadence(Diagnostic):
    """A timer has one rhythm: five fields of cron, or a duration that cron cannot say."""

    message: ClassVar[dict[str, str]] = {
        "none": "timer `{name}` has no rhythm",
        "both": "timer `{name}` has two rhythms",
        "cron": "`{rhythm}` is no cron expression",
        "every": "`{rhythm}` is no duration of at least a second",
        "expressible": "`every: {rhythm}` is a rhythm that cron can say",
    }
    help: ClassVar[dict[str, str]] = {
        "none": "write `cron:` or `every:`",
        "both": "keep `cron:` or `every:`",
        "cron": "write five fields: minute, hour, day, month, weekday",
        "every": "write `90s`, say",
        "expressible": 'write `cron: "{cron}"`',
    }

    case: Literal["none", "both", "cron", "every", "expressible"]
    name: str
    rhythm: str = ""
    cron: str = ""
