"""Mistakes in channels, in what they run over, and in timers."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity


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


class ReactorChannelAmbiguous(Diagnostic):
    """Several channels carry an event that a workflow hears: by which of them it comes is not clear."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "event `{event}` is carried by {channels}"
    help = "let one channel carry it"

    event: str
    channels: str


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
        "every": "write for example `90s`",
        "expressible": 'write `cron: "{cron}"`',
    }

    case: Literal["none", "both", "cron", "every", "expressible"]
    name: str
    rhythm: str = ""
    cron: str = ""


class ChannelsourceUnbound(Diagnostic):
    """No deployable lists a channel source, so that its channel runs within each service."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "no deployable lists `{name}`"
    help = "add it to the `channels:` of those that feed or read `{channel}`"

    name: str
    channel: str


class DeployableChannelUnrelated(Diagnostic):
    """A deployable lists a channel source and neither tells nor hears an event of its channel."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{deployable}` neither feeds nor reads `{channel}`"
    help = "remove `{source}` from its `channels:`"

    deployable: str
    channel: str
    source: str


class ChannelConsumerUnwired(Diagnostic):
    """A deployable hears an event of a channel that runs over a broker, and is not connected to it."""

    message = "`{deployable}` hears `{event}`, which `{channel}` carries over a broker"
    help = "add `{source}` to its `channels:`"

    deployable: str
    event: str
    channel: str
    source: str


class ChannelProducerUnwired(Diagnostic):
    """A deployable tells an event of a channel that runs over a broker, and is not connected to it: nobody hears it."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{deployable}` tells `{event}`, which `{channel}` carries over a broker"
    help = "add `{source}` to its `channels:`"

    deployable: str
    event: str
    channel: str
    source: str


class TimerEventShape(Diagnostic):
    """The event of a timer is told by the clock alone, and the clock can fill its fields.

    An `at: datetime` says when it was; ids are new ones, and other fields have what their type starts with.
    """

    message: ClassVar[dict[str, str]] = {
        "emitted": "`{event}` is the event of timer `{timer}` and is emitted in `{context}` too",
        "field": "timer `{timer}` cannot fill `{field}` of `{event}`",
        "instant": "`{event}` does not say when timer `{timer}` told it",
    }
    help: ClassVar[dict[str, str]] = {
        "emitted": "give the timer an event of its own",
        "field": "make it optional, or remove it",
        "instant": "add `at: datetime` to it",
    }

    case: Literal["emitted", "field", "instant"]
    event: str
    timer: str
    context: str = ""
    field: str = ""


class TimerEventDoubt(TimerEventShape):
    """What is only a doubt about the event of a timer."""

    severity: ClassVar[Severity] = Severity.WARNING


class TimerNeedsState(Diagnostic):
    """The service that tells the event of a timer remembers in its database when it did."""

    message = "`{deployable}` tells the event of timer `{timer}` and has no state resource"
    help = "list a resource of kind `state` in its `dataSources:`"

    deployable: str
    timer: str


class TimerSourceUnbound(Diagnostic):
    """Nothing hears the event of a timer."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "nothing hears `{event}`, which timer `{timer}` tells"
    help = "add an `on(…)` or a create that it starts, or remove the timer"

    timer: str
    event: str


class UnknownTimeZone(Diagnostic):
    """A timer goes by a time zone that the time zone database does not have under that name."""

    message = "unknown time zone `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str
