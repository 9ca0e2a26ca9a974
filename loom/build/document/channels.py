"""What a page says of channels: how they deliver, what they carry, over what, and who is told.

In: a model and a context. Out: markup. Never: a broker's own words.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from loom.build.document.diagram import anchor
from loom.build.document.markup import code, links
from loom.build.document.model import Model
from loom.ir import program as ir
from loom.ir.delivery import Channel
from loom.ir.types import Ref


def channel_text(model: Model, context: ir.Context, channel: Channel) -> str:
    """The paragraphs below the heading of a channel."""
    ordered = f", those of one {code(channel.key)} in their order" if channel.key else ""
    own = Ref(context=context.name, name=channel.name)
    sources = [item for item in model.system.channel_sources if item.channel == own]
    over = ", ".join(f"{escape(item.storage)} ({escape(item.name)})" for item in sources) or "no storage: in-process"
    return (
        f"<p>Delivery {code(channel.delivery.value)}, retention {code(channel.retention.value)}{ordered}."
        f" Carries {links((anchor('event', ref.context, ref.name), ref.name) for ref in channel.events)}."
        f" Runs over {over}."
        f" Subscribed by {links(subscribers(model, channel))}.</p>\n"
    )


def subscribers(model: Model, channel: Channel) -> Iterator[tuple[str, str]]:
    """Place and name of whatever an event of the channel reaches, in any context.

    That is a workflow that the event starts or reaches, and a projection that folds it.
    """
    for context in model.contexts:
        for workflow in context.workflows:
            if any(reaction.event in channel.events for reaction in (*workflow.starters, *workflow.reactors)):
                yield anchor("workflow", context.name, workflow.name), workflow.name
        for projection in context.projections:
            if any(fold.event in channel.events for fold in projection.folds):
                yield anchor("projection", context.name, projection.name), projection.name
