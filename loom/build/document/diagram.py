"""Boxes in columns and what leads from one to another.

In: the IR. Out: diagrams. Never: a size, a colour, a format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loom.base import Value, descendants
from loom.ir import program as ir
from loom.ir.deployment import System
from loom.ir.statements import CreateInstance, Delete, Emit, Invoke, Read
from loom.ir.types import IdType, Ref


class Box(NamedTuple):
    """`anchor` is the place on the page that tells of it."""

    key: str
    label: str
    anchor: str


class Arrow(NamedTuple):
    start: str
    end: str
    label: str


class Column(NamedTuple):
    heading: str
    boxes: tuple[Box, ...]


class Diagram(NamedTuple):
    """`name` is that of its file; every arrow leads from a box to a box."""

    name: str
    title: str
    columns: tuple[Column, ...]
    arrows: tuple[Arrow, ...]

    def boxes(self) -> dict[str, Box]:
        return {box.key: box for column in self.columns for box in column.boxes}


def anchor(*path: str) -> str:
    """The place on the page of a declaration; the kind comes first."""
    return "-".join(path)


def deployment(system: System, contexts: Iterable[ir.Context]) -> Diagram:
    """Which service hosts which context, and which storage keeps what of it."""
    deployables = tuple(
        Box(f"d {item.name}", item.name, anchor("deployable", item.name)) for item in system.deployables
    )
    hosted = tuple(Box(f"c {name}", name, anchor("context", name)) for name in system.contexts)
    storages = tuple(
        Box(f"s {item.name}", f"{item.name} ({item.kind})", anchor("storage", item.name)) for item in system.storages
    )
    hosts = [Arrow(f"d {item.name}", f"c {name}", "hosts") for item in system.deployables for name in item.contexts]
    keeps = [Arrow(f"c {item.context}", f"s {item.storage}", item.kind) for item in system.resources]
    refers = [Arrow(f"c {item.name}", f"c {other}", "refers to") for item in contexts for other in referred(item)]
    columns = (Column("Deployables", deployables), Column("Contexts", hosted), Column("Storage", storages))
    return _diagram(
        "deployment", f"{system.name}: deployables, contexts and storage", columns, [*hosts, *refers, *keeps]
    )


def referred(context: ir.Context) -> tuple[str, ...]:
    """The other contexts whose aggregates it refers to."""
    return tuple(dict.fromkeys(ref.context for ref, _ in _references(context) if ref.context != context.name))


def inside(context: ir.Context) -> Diagram:
    """Workflows, the aggregates that they use, the events that come of it, the channels that carry those."""
    own = [
        Box(f"a {item.name}", item.name, anchor("aggregate", context.name, item.name)) for item in context.aggregates
    ]
    workflows = [
        Box(f"w {item.name}", item.name, anchor("workflow", context.name, item.name)) for item in context.workflows
    ]
    events = [Box(f"e {item.name}", item.name, anchor("event", context.name, item.name)) for item in context.events]
    channels = [
        Box(f"n {item.name}", item.name, anchor("channel", context.name, item.name)) for item in context.channels
    ]
    foreign = {
        _key(ref, context): Box(
            _key(ref, context), f"{ref.context}.{ref.name}", anchor("aggregate", ref.context, ref.name)
        )
        for ref, _ in _references(context)
        if ref.context != context.name
    }
    columns = (
        Column("Workflows", tuple(workflows)),
        Column("Aggregates", (*own, *foreign.values())),
        Column("Events", tuple(events)),
        Column("Channels", tuple(channels)),
    )
    arrows = [*_uses(context), *_emissions(context), *_links(context), *_carried(context)]
    title = f"{context.name}: workflows, aggregates, events and channels"
    return _diagram(f"context-{context.name}", title, columns, arrows)


def _diagram(name: str, title: str, columns: tuple[Column, ...], arrows: Iterable[Arrow]) -> Diagram:
    """Arrows between the same boxes are one; columns without boxes go."""
    labels: dict[tuple[str, str], dict[str, None]] = {}
    known = {box.key for column in columns for box in column.boxes}
    for arrow in arrows:
        if arrow.start in known and arrow.end in known:
            labels.setdefault((arrow.start, arrow.end), {})[arrow.label] = None
    joined = tuple(Arrow(start, end, ", ".join(said)) for (start, end), said in labels.items())
    return Diagram(name, title, tuple(column for column in columns if column.boxes), joined)


def _key(ref: Ref, context: ir.Context) -> str:
    return f"a {ref.name}" if ref.context == context.name else f"a {ref.context}.{ref.name}"


def _references(context: ir.Context) -> Iterator[tuple[Ref, tuple[str, str]]]:
    """The aggregates that stored fields refer to, with the aggregate and the field that do."""
    for owner in context.aggregates:
        holders: tuple[ir.Aggregate | ir.Part, ...] = (owner, *owner.parts)
        for holder in holders:
            for field in holder.properties:
                for node in descendants(field.type):
                    if isinstance(node, IdType):
                        yield node.aggregate, (owner.name, field.name)


def _carried(context: ir.Context) -> Iterator[Arrow]:
    for channel in context.channels:
        for ref in channel.events:
            yield Arrow(f"e {ref.name}", f"n {channel.name}", channel.delivery.value)


def _links(context: ir.Context) -> Iterator[Arrow]:
    for ref, (owner, field) in _references(context):
        yield Arrow(f"a {owner}", _key(ref, context), field)


def _uses(context: ir.Context) -> Iterator[Arrow]:
    for workflow in context.workflows:
        for node in descendants(workflow):
            match node:
                case Invoke(aggregate=ref, operation=name):
                    yield Arrow(f"w {workflow.name}", _key(ref, context), name)
                case CreateInstance(aggregate=ref):
                    yield Arrow(f"w {workflow.name}", _key(ref, context), "creates")
                case Delete(aggregate=ref):
                    yield Arrow(f"w {workflow.name}", _key(ref, context), "deletes")
                case Read(aggregate=ref):
                    yield Arrow(f"w {workflow.name}", _key(ref, context), "reads")


def _emissions(context: ir.Context) -> Iterator[Arrow]:
    makers: list[tuple[str, str, Value]] = []
    for aggregate in context.aggregates:
        makers += [(f"a {aggregate.name}", item.name, item) for item in aggregate.operations]
        makers += [(f"a {aggregate.name}", "create", item) for item in (aggregate.create,) if item is not None]
        makers += [(f"a {aggregate.name}", "destroy", item) for item in (aggregate.destroy,) if item is not None]
    makers += [(f"w {item.name}", "emits", item) for item in context.workflows]
    for key, name, maker in makers:
        for node in descendants(maker):
            if isinstance(node, Emit):
                yield Arrow(key, f"e {node.event.name}", name)
