"""`loom graph`: the tasks of a project as one SVG file.

In: names, what each needs, how each stands. Out: the text of the file. Never: a script, or anything from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from loom.build.graph.critical import critical_path
from loom.build.graph.layout import Spot, laid_out, reduced
from loom.build.graph.state import Standing, State
from loom.build.housekeeping.times import seconds

Needs = Mapping[str, tuple[str, ...]]

# Fill and border: pale enough to read on, and told apart without colours by what the legend says of the border.
_PAINT: Mapping[State, tuple[str, str]] = {
    State.CURRENT: ("#e6f4ea", "#2e7d32"),
    State.STORED: ("#e3effb", "#1565c0"),
    State.MISSING: ("#fff3dc", "#b26a00"),
    State.FAILED: ("#fde7e7", "#c62828"),
    State.FOREIGN: ("#eeeeee", "#616161"),
}
_GAP, _LINE, _TOP, _EDGE = 64, 24, 64, 16
_LETTER = 6.7
_LONGEST = 60
"""Letters of a name that are shown; boxes are as wide as the longest one needs."""
_TIME = 62
_STYLE = (
    "text{font:11px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1b1b1b}"
    "text.time{fill:#555;text-anchor:end}text.title{font-size:15px;font-weight:bold}"
    "path{fill:none;stroke:#9aa5b1;stroke-opacity:.55}path.critical{stroke:#c62828;stroke-width:2.2;stroke-opacity:.9}"
)


class Place(NamedTuple):
    """A corner, and how wide the box is that begins there."""

    x: float
    y: float
    wide: float = 0


def picture(title: str, needs: Needs, standings: Mapping[str, Standing]) -> str:
    """Columns from left to right in the order in which tasks run; the critical path is the thick line."""
    edges = reduced(needs)
    wide = round(max((len(_cut(name)) for name in needs), default=0) * _LETTER) + _TIME
    places = {name: _place(spot, wide) for name, spot in laid_out(edges).items()}
    cost = {name: standing.milliseconds for name, standing in standings.items()}
    path = critical_path(edges, cost)
    width = max((place.x for place in places.values()), default=0) + wide + _EDGE
    height = max((place.y for place in places.values()), default=0) + _LINE + _EDGE
    svg = _element(None, "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width:.0f} {height:.0f}",
                   width=f"{width:.0f}", height=f"{height:.0f}")  # fmt: skip
    _element(svg, "style").text = _STYLE
    _element(svg, "rect", width="100%", height="100%", fill="#ffffff")
    _head(svg, title, standings, sum(cost.get(name, 0) for name in path))
    _lines(svg, edges, places, set(pairwise(path)))
    for name, place in places.items():
        _box(svg, name, place, standings[name], is_critical=name in path)
    return Xml.tostring(svg, encoding="unicode") + "\n"


def _place(spot: Spot, wide: float) -> Place:
    return Place(_EDGE + spot.column * (wide + _GAP), _TOP + _EDGE + spot.row * _LINE, wide)


def _head(svg: Xml.Element, title: str, standings: Mapping[str, Standing], longest: int) -> None:
    whole = sum(standing.milliseconds for standing in standings.values())
    told = f"{title}: {len(standings)} tasks, {seconds(whole)} of work, critical path {seconds(longest)}"
    _text(svg, told, Place(_EDGE, 28), css="title")
    x = float(_EDGE)
    for state, (fill, border) in _PAINT.items():
        number = sum(standing.state is state for standing in standings.values())
        if number:
            _element(svg, "rect", x=f"{x:.0f}", y="40", width="14", height="14", rx="3", fill=fill, stroke=border)
            label = f"{number} {state}"
            _text(svg, label, Place(x + 20, 51))
            x += 44 + len(label) * _LETTER


def _lines(svg: Xml.Element, edges: Needs, places: Mapping[str, Place], path: set[tuple[str, str]]) -> None:
    """The critical ones last, so that nothing crosses them."""
    found = [(need, name) for name, needed in edges.items() for need in needed]
    for need, name in sorted(found, key=lambda edge: edge in path):
        start, end = places[need], places[name]
        x1, y1, x2, y2 = start.x + start.wide, start.y + 9, end.x, end.y + 9
        bend = max(20.0, (x2 - x1) / 2)
        line = f"M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        _element(svg, "path", d=line, **({"class": "critical"} if (need, name) in path else {}))


def _box(svg: Xml.Element, name: str, place: Place, standing: Standing, *, is_critical: bool) -> None:
    fill, border = _PAINT[standing.state]
    group = _element(svg, "g")
    time = seconds(standing.milliseconds) if standing.milliseconds else ""
    _element(group, "title").text = f"{name}\n{standing.state}{f', took {time}' if time else ''}"
    _element(group, "rect", x=f"{place.x:.1f}", y=f"{place.y:.1f}", width=f"{place.wide}", height="18", rx="3",
             fill=fill, stroke=border, **{"stroke-width": "2" if is_critical else "1"})  # fmt: skip
    _text(group, _cut(name), Place(place.x + 6, place.y + 13))
    if time:
        _text(group, time, Place(place.x + place.wide - 6, place.y + 13), css="time")


def _cut(name: str) -> str:
    """The ends say more than the middle."""
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST // 2 - 1]}…{name[-_LONGEST // 2 :]}"


def _text(above: Xml.Element, text: str, place: Place, css: str = "") -> None:
    found = _element(above, "text", x=f"{place.x:.1f}", y=f"{place.y:.1f}", **({"class": css} if css else {}))
    found.text = text


def _element(above: Xml.Element | None, tag: str, **attributes: str) -> Xml.Element:
    return Xml.Element(tag, attributes) if above is None else Xml.SubElement(above, tag, attributes)
