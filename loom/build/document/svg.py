"""A diagram as a picture: columns from left to right, arrows in curves between them.

In: a diagram. Out: SVG to stand in a page, whose style gives it colours. Never: a script.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

from loom.build.document.diagram import Arrow, Box, Diagram

LETTER, HIGH, ROW, GAP, EDGE, TOP = 7.4, 30, 44, 150, 12, 44
BULGE = 26


class Spot(NamedTuple):
    """The corner of a box, how wide it is, and its column."""

    x: float
    y: float
    wide: float
    column: int


def svg(diagram: Diagram) -> str:
    spots = _spots(diagram)
    width = max((spot.x + spot.wide for spot in spots.values()), default=0) + EDGE + 3 * BULGE
    height = max((spot.y + HIGH for spot in spots.values()), default=0) + EDGE
    title, said = f"title-{diagram.name}", f"words-{diagram.name}"
    parts = [
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="group"'
        f' aria-labelledby="{title}" aria-describedby="{said}">',
        f'<title id="{title}">{escape(diagram.title)}</title>',
        *(_heading(diagram, number, spots) for number in range(len(diagram.columns))),
        *(_arrow(arrow, spots, diagram.boxes()) for arrow in diagram.arrows),
        *(_box(box, spots[key]) for key, box in diagram.boxes().items()),
        "</svg>",
    ]
    return "\n".join(parts)


def _spots(diagram: Diagram) -> dict[str, Spot]:
    """Columns as wide as their longest label, each centred on the tallest."""
    found: dict[str, Spot] = {}
    most = max((len(column.boxes) for column in diagram.columns), default=0)
    x = float(EDGE)
    for number, column in enumerate(diagram.columns):
        wide = max(len(box.label) for box in column.boxes) * LETTER + 24
        top = TOP + (most - len(column.boxes)) * ROW / 2
        found |= {box.key: Spot(x, top + row * ROW, wide, number) for row, box in enumerate(column.boxes)}
        x += wide + GAP
    return found


def _heading(diagram: Diagram, number: int, spots: Mapping[str, Spot]) -> str:
    column = diagram.columns[number]
    first = spots[column.boxes[0].key]
    return f'<text class="heading" x="{first.x:.0f}" y="{first.y - 14:.0f}">{escape(column.heading)}</text>'


def _box(box: Box, spot: Spot) -> str:
    return (
        f'<a href="#{escape(box.anchor)}"><rect class="column{spot.column}" x="{spot.x:.0f}" y="{spot.y:.0f}"'
        f' width="{spot.wide:.0f}" height="{HIGH}" rx="6"/>'
        f'<text x="{spot.x + spot.wide / 2:.0f}" y="{spot.y + 20:.0f}">{escape(box.label)}</text></a>'
    )


def _arrow(arrow: Arrow, spots: Mapping[str, Spot], boxes: Mapping[str, Box]) -> str:
    start, end = spots[arrow.start], spots[arrow.end]
    words = f"{boxes[arrow.start].label} → {boxes[arrow.end].label}: {arrow.label}"
    path = _within(start, end) if start.column == end.column else _across(start, end)
    return f'<path class="arrow" d="{path}"><title>{escape(words)}</title></path>'


def _across(start: Spot, end: Spot) -> str:
    x, y = start.x + start.wide, start.y + HIGH / 2
    to, down = end.x, end.y + HIGH / 2
    half = (x + to) / 2
    return f"M{x:.0f} {y:.0f}C{half:.0f} {y:.0f} {half:.0f} {down:.0f} {to - 7:.0f} {down:.0f}{_tip(to, down, 7)}"


def _within(start: Spot, end: Spot) -> str:
    """Beside the column, the wider the farther it goes; back to itself too."""
    x, y, down = start.x + start.wide, start.y + HIGH / 2 - 5, end.y + HIGH / 2 + 5
    out = x + min(BULGE + abs(down - y) / 6, GAP * 0.75)
    return f"M{x:.0f} {y:.0f}C{out:.0f} {y:.0f} {out:.0f} {down:.0f} {x + 7:.0f} {down:.0f}{_tip(x, down, -7)}"


def _tip(x: float, y: float, long: float) -> str:
    return f"M{x - long:.0f} {y - 4:.0f}L{x:.0f} {y:.0f}L{x - long:.0f} {y + 4:.0f}"
