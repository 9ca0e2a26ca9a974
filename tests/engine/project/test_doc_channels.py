"""What the page of a model tells of channels: their kind, what they carry, over what, and who is told."""

from __future__ import annotations

import re
from html import unescape

from loom.build.document.context import section
from loom.build.document.diagram import inside
from loom.build.document.model import Model
from loom.parse import parse
from tests.kit.lowering import lower_files

MODEL = """
system GardenRing {
    storage mainStore { type: postgres }
    channelSource ringNews { for: PlotNews, use: mainStore }
}
context PlotKeeping {
    event PlotLet { plot: GardenPlot id, HTTPLink: string }
    event PlotLeft { plot: GardenPlot id, HTTPLink: string }
    aggregate GardenPlot with crudish {
        HTTPLink: string
        operation let_() { emit PlotLet { plot: id, HTTPLink: HTTPLink } }
    }
    event PlotSown { plot: GardenPlot id }
    projection PlotLinks(least: string) {
        class: string
        from GardenPlot as plot where plot.HTTPLink > least select class = plot.HTTPLink
    }
    channel SeedNews { carries: PlotSown }
    channel PlotNews { carries: PlotLet, PlotLeft, delivery: queue, retention: work, key: plot }
    channel QuietNews { carries: PlotLeft }
}
context WaterMeters {
    workflow ReadMeter {
        plot: GardenPlot id
        create(let_: PlotLet) by let_.plot { }
    }
    projection MeterBook keyed by plot {
        plot: GardenPlot id
        HTTPLink: string
        on(left: PlotLeft) { HTTPLink := left.HTTPLink }
    }
}
"""


def drawn() -> Model:
    found = lower_files({"main.ddd": parse("main.ddd", MODEL.encode()).ast})
    assert found.system is not None
    contexts = tuple(item.context for item in found.contexts)
    return Model(found.system.system, found.shared.shared, contexts, {}, {})


def test_channel_is_told_with_its_kind_what_it_carries_and_who_is_told() -> None:
    model = drawn()
    page = section(model, model.contexts[0])
    told = [unescape(re.sub("<[^>]+>", "", line)) for line in page.splitlines() if line.startswith("<p>Delivery")]
    assert told == [
        "Delivery broadcast, retention ephemeral. Carries PlotSown."
        " Runs over no storage: in-process. Subscribed by none.",
        "Delivery queue, retention work, those of one plot in their order. Carries PlotLet, PlotLeft."
        " Runs over mainStore (ringNews). Subscribed by ReadMeter, MeterBook.",
        "Delivery broadcast, retention ephemeral. Carries PlotLeft."
        " Runs over no storage: in-process. Subscribed by MeterBook.",
    ]
    assert 'id="channel-' in page and "<h3>Channels</h3>" in page


def test_projection_is_told_with_its_source_and_its_fields() -> None:
    model = drawn()
    asked, folded = (section(model, context) for context in model.contexts)
    assert "<p>Asked of <code>GardenPlot</code>.</p>" in asked
    assert 'id="projection-PlotKeeping-PlotLinks"' in asked
    assert '<p>Folds <a href="#event-PlotKeeping-PlotLeft">PlotLeft</a>.</p>' in folded
    assert '<a href="#projection-WaterMeters-MeterBook">MeterBook</a>' in asked
    assert 'id="projection-WaterMeters-MeterBook"' in folded
    assert "<td><code>HTTPLink</code></td><td><code>string</code></td>" in folded


def test_picture_of_a_context_leads_from_events_to_channels() -> None:
    picture = inside(drawn().contexts[0])
    assert picture.columns[-1].heading == "Channels"
    assert picture.title == "PlotKeeping: workflows, aggregates, events and channels"
    carried = [(arrow.start, arrow.end, arrow.label) for arrow in picture.arrows if arrow.end.startswith("n ")]
    assert carried == [
        ("e PlotSown", "n SeedNews", "broadcast"),
        ("e PlotLet", "n PlotNews", "queue"),
        ("e PlotLeft", "n PlotNews", "queue"),
        ("e PlotLeft", "n QuietNews", "broadcast"),
    ]


def test_context_without_channels_has_no_word_of_them() -> None:
    model = drawn()
    assert "Channels" not in section(model, model.contexts[1])
