"""Channels over brokers, and who is connected to them.

In: the system, and the signatures of its contexts. Out: diagnostics.
Never: events that stay within a service; those need no connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loom.base import Diagnostic
from loom.ir import deployment
from loom.ir.delivery import ChannelSource
from loom.lower.problems.delivery import (
    ChannelConsumerUnwired,
    ChannelProducerUnwired,
    ChannelsourceUnbound,
    DeployableChannelUnrelated,
)
from loom.lower.signature import ContextSignature
from loom.validate.where import Where

Signatures = Mapping[str, ContextSignature]


class Wire(NamedTuple):
    """A channel source, and who of the deployables that it matters to tells and hears which of its events first."""

    source: ChannelSource
    tells: Mapping[str, str]
    hears: Mapping[str, str]


def channels(system: deployment.System, signatures: Signatures, where: Where) -> Iterator[Diagnostic]:
    timed = {item.event.name for item in system.timers}
    for source in system.channel_sources:
        listing = [item for item in system.deployables if source.name in item.channels]
        if not listing:
            yield ChannelsourceUnbound(at=where(source.name), name=source.name, channel=source.channel.name)
            continue
        wire = _wire(system, source, signatures, timed)
        for item in system.deployables:
            yield from _connected(item, wire, where) if item in listing else _unconnected(item, wire, where)


def _wire(system: deployment.System, source: ChannelSource, signatures: Signatures, timed: set[str]) -> Wire:
    carried = _carried(source, signatures)
    tells: dict[str, str] = {}
    hears: dict[str, str] = {}
    for item in system.deployables:
        for context in (signatures[name] for name in item.contexts if name in signatures):
            own = {event.name for event in context.events}
            for event in carried:
                if event in context.emitted or (event in timed and event in own):
                    tells.setdefault(item.name, event)
                if event in context.heard:
                    hears.setdefault(item.name, event)
    return Wire(source, tells, hears)


def _carried(source: ChannelSource, signatures: Signatures) -> tuple[str, ...]:
    context = signatures.get(source.channel.context)
    found = [item for item in (context.channels if context is not None else ()) if item.name == source.channel.name]
    return found[0].carries if found else ()


def _connected(item: deployment.Deployable, wire: Wire, where: Where) -> Iterator[Diagnostic]:
    if item.name not in wire.tells and item.name not in wire.hears:
        at = where(item.name, "channels", wire.source.name)
        channel, source = wire.source.channel.name, wire.source.name
        yield DeployableChannelUnrelated(at=at, deployable=item.name, channel=channel, source=source)


def _unconnected(item: deployment.Deployable, wire: Wire, where: Where) -> Iterator[Diagnostic]:
    at, channel, source = where(item.name), wire.source.channel.name, wire.source.name
    if event := wire.hears.get(item.name):
        yield ChannelConsumerUnwired(at=at, deployable=item.name, event=event, channel=channel, source=source)
    elif event := wire.tells.get(item.name):
        yield ChannelProducerUnwired(at=at, deployable=item.name, event=event, channel=channel, source=source)
