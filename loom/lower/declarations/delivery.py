"""Channels of a context; what they run over, and the timers, of the system.

In: their declarations, the events around, the signatures of all contexts. Out: IR channels, sources and timers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from loom.base import Feature, nearest
from loom.ir import delivery as ir
from loom.ir.types import Ref
from loom.lower.declarations.cron import is_cron
from loom.lower.declarations.zones import zones
from loom.lower.problems.delivery import (
    ChannelKeyMissingField,
    ChannelsourceIncompatible,
    ChannelsourceNotYetShipped,
    ChannelsourceTransportInvalid,
    TimerCadence,
    UnknownTimeZone,
)
from loom.lower.problems.names import LinkingError
from loom.lower.problems.system import DuplicateDeclaration, MissingClause
from loom.lower.scope.frames import Frame
from loom.lower.scope.source import Source
from loom.lower.signature import ChannelSignature, ContextSignature
from loom.parse import ast

Contexts = Mapping[str, ContextSignature]
_BROKERS = ("redis", "rabbitmq", "kafka", "inMemory")
_CAN = {
    ("broadcast", "ephemeral"): ("redis", "inMemory"),
    ("queue", "ephemeral"): ("redis", "rabbitmq"),
    ("queue", "work"): ("rabbitmq", "kafka"),
    ("broadcast", "log"): ("kafka",),
}
_DRIVERLESS = {("queue", "redis"): "rabbitmq", ("broadcast", "inMemory"): "redis"}
_EVERY = re.compile(r"([0-9]+)(ms|s|m|h|d)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def channels(frame: Frame, context: ast.Context) -> tuple[ir.Channel, ...]:
    made: dict[str, ir.Channel] = {}
    for item in context.members:
        if not isinstance(item, ast.Channel):
            continue
        if item.name in made:
            frame.report(DuplicateDeclaration(at=frame.at(item.at), kind="channel", name=item.name))
            continue
        made[item.name] = _channel(frame, item)
    return tuple(made.values())


def _channel(frame: Frame, declared: ast.Channel) -> ir.Channel:
    source = frame.scope.source
    source.declare(declared.at, declared.name)
    source.use(declared.at, Feature.CHANNELS)
    if not declared.carries:
        at = source.place(declared.at)
        source.report(MissingClause(at=at, kind="channel", name=declared.name, clause="carries"))
    events = [ref for item in declared.carries for ref in _event(frame, declared, item)]
    return ir.Channel(
        name=declared.name,
        events=tuple(dict.fromkeys(events)),
        delivery=ir.Delivery(declared.delivery.name) if declared.delivery is not None else ir.Delivery.BROADCAST,
        retention=ir.Retention(declared.retention.name) if declared.retention is not None else ir.Retention.EPHEMERAL,
        key=declared.key.name if declared.key is not None else "",
    )


def _event(frame: Frame, declared: ast.Channel, item: ast.NameRef) -> Iterator[Ref]:
    names, own = frame.scope.names, frame.scope.tables.events
    if item.name in own:
        _check_key(frame, declared, item.name)
        yield Ref(context=names.context, name=item.name)
    elif found := names.foreign_events.get(item.name):
        _check_key(frame, declared, item.name)
        yield Ref(context=found.context, name=item.name)
    else:
        near = nearest(item.name, [*own, *names.foreign_events])
        frame.report(LinkingError(at=frame.at(item.at), kind="event", name=item.name, nearest=near))


def _check_key(frame: Frame, declared: ast.Channel, event: str) -> None:
    tables = frame.scope.tables
    members = (tables.events.get(event) or tables.foreign_events[event]).members
    if declared.key is not None and declared.key.name not in members:
        near = nearest(declared.key.name, members)
        at = frame.at(declared.key.at)
        frame.report(ChannelKeyMissingField(at=at, event=event, key=declared.key.name, nearest=near))


def channel_source(
    source: Source, declared: ast.ChannelSource, contexts: Contexts, storages: Mapping[str, str]
) -> Iterator[ir.ChannelSource]:
    source.use(declared.at, Feature.CHANNEL_SOURCES)
    at = source.place(declared.at)
    for clause, ref in (("for", declared.channel), ("use", declared.storage)):
        if ref is None:
            source.report(MissingClause(at=at, kind="channelSource", name=declared.name, clause=clause))
    if declared.channel is None or declared.storage is None:
        return
    known = {channel.name: (context.name, channel) for context in contexts.values() for channel in context.channels}
    channel = _linked(source, declared.channel, "channel", known)
    storage = _linked(source, declared.storage, "storage", storages)
    if channel and storage:
        context, found = known[channel]
        _check_transport(source, declared.storage, storages[storage], found)
        yield ir.ChannelSource(name=declared.name, channel=Ref(context=context, name=channel), storage=storage)


def _linked(source: Source, ref: ast.NameRef, kind: str, known: Iterable[str]) -> str:
    names = list(known)
    if ref.name in names:
        return ref.name
    near = nearest(ref.name, names)
    source.report(LinkingError(at=source.place(ref.at), kind=kind, name=ref.name, nearest=near))
    return ""


def _check_transport(source: Source, ref: ast.NameRef, kind: str, channel: ChannelSignature) -> None:
    at = source.place(ref.at)
    delivery, retention = channel.delivery, channel.retention
    able = _CAN.get((delivery, retention), ())
    instead = _DRIVERLESS.get((delivery, kind), "")
    if kind not in _BROKERS:
        source.report(ChannelsourceTransportInvalid(at=at, type=kind))
    elif kind not in able:
        hint = f"use a storage of type {' or '.join(able)}" if able else "no storage can: change the channel"
        source.report(ChannelsourceIncompatible(at=at, type=kind, delivery=delivery, retention=retention, hint=hint))
    elif instead:
        source.report(ChannelsourceNotYetShipped(at=at, type=kind, delivery=delivery, instead=instead))


def timer(source: Source, declared: ast.TimerSource, contexts: Contexts) -> Iterator[ir.Timer]:
    source.use(declared.at, Feature.TIMERS)
    cron, seconds = _cadence(source, declared)
    if declared.event is None:
        at = source.place(declared.at)
        source.report(MissingClause(at=at, kind="timerSource", name=declared.name, clause="for"))
        return
    known = {event.name: context.name for context in contexts.values() for event in context.events}
    if event := _linked(source, declared.event, "event", known):
        yield ir.Timer(
            name=declared.name,
            event=Ref(context=known[event], name=event),
            cron=cron,
            seconds=seconds,
            zone=_zone(source, declared.zone) if declared.zone is not None else "UTC",
            overlap=declared.overlap is not None,
        )


def _zone(source: Source, written: ast.Setting) -> str:
    name = written.value.name if isinstance(written.value, ast.NameRef) else str(written.value)
    if name not in zones():
        at = source.place(written.at + 2)  # behind the colon
        source.report(UnknownTimeZone(at=at, name=name, nearest=nearest(name, zones())))
    return name


def _cadence(source: Source, declared: ast.TimerSource) -> tuple[str, int]:
    """The rhythm as cron, or in seconds."""
    at = source.place(declared.at)
    match declared.cron, declared.every:
        case None, None:
            source.report(TimerCadence(at=at, case="none", name=declared.name))
        case ast.Setting() as cron, None:
            return _cron(source, declared, cron), 0
        case None, ast.Setting() as every:
            return "", _seconds(source, declared, every)
        case _:
            source.report(TimerCadence(at=at, case="both", name=declared.name))
    return "", 0


def _cron(source: Source, declared: ast.TimerSource, cron: ast.Setting) -> str:
    text = cron.value.name if isinstance(cron.value, ast.NameRef) else str(cron.value)
    if not is_cron(text):
        source.report(TimerCadence(at=source.place(cron.at), case="cron", name=declared.name, rhythm=text))
    return text


def _seconds(source: Source, declared: ast.TimerSource, every: ast.Setting) -> int:
    text = every.value.name if isinstance(every.value, ast.NameRef) else str(every.value)
    found = _EVERY.fullmatch(text)
    seconds = int(found[1]) * _SECONDS.get(found[2], 0) if found else 0
    at = source.place(every.at)
    if seconds == 0:
        source.report(TimerCadence(at=at, case="every", name=declared.name, rhythm=text))
    elif cron := _as_cron(seconds):
        source.report(TimerCadence(at=at, case="expressible", name=declared.name, rhythm=text, cron=cron))
    return seconds


def _as_cron(seconds: int) -> str:
    """The cron expression of the same rhythm, if there is one."""
    minutes, rest = divmod(seconds, 60)
    hours, spare = divmod(minutes, 60)
    if rest or minutes > 24 * 60:
        return ""
    if minutes < 60:
        return "" if 60 % minutes else "* * * * *" if minutes == 1 else f"*/{minutes} * * * *"
    if spare or 24 % hours:
        return ""
    return {1: "0 * * * *", 24: "0 0 * * *"}.get(hours, f"0 */{hours} * * *")
