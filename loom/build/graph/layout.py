"""Where each task stands in the picture: columns by what has to come before, rows so that lines cross little.

In: names and what each needs. Out: a column and a row for each. Never: a size or a colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil
from typing import NamedTuple

from loom.build.graph.critical import needed_first

ROWS = 64
"""A longer column is cut into equal ones."""


class Spot(NamedTuple):
    column: int
    row: float


def laid_out(needs: Mapping[str, Iterable[str]]) -> dict[str, Spot]:
    """Every task right of all that it needs, beside the middle of them; columns are centred on each other."""
    users: dict[str, list[str]] = {name: [] for name in needs}
    for name, needed in needs.items():
        for need in needed:
            users[need].append(name)
    layers = _layers(needs, users)
    place = {name: float(at) for layer in layers for at, name in enumerate(layer)}
    for sweep in range(4):
        ways, order = (needs, layers) if sweep % 2 == 0 else (users, layers[::-1])
        for layer in order:
            layer.sort(key=lambda name: (_middle(ways[name], place, place[name]), name))
            place |= {name: at - len(layer) / 2 for at, name in enumerate(layer)}
    return _spots(layers)


def reduced(needs: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Without what another need of the same task needs anyway."""
    above: dict[str, set[str]] = {}
    for name in needed_first(needs):
        above[name] = {further for need in needs[name] for further in (need, *above[need])}
    return {
        name: tuple(need for need in needed if not any(need in above[other] for other in needed if other != need))
        for name, needed in ((name, tuple(needed)) for name, needed in needs.items())
    }


def _layers(needs: Mapping[str, Iterable[str]], users: Mapping[str, list[str]]) -> list[list[str]]:
    """What needs nothing stands right before the first that needs it."""
    depth: dict[str, int] = {}
    for name in needed_first(needs):
        depth[name] = 1 + max((depth[need] for need in needs[name]), default=-1)
    starts = [name for name, at in depth.items() if at == 0 and users[name]]
    depth |= {name: min(depth[user] for user in users[name]) - 1 for name in starts}
    layers: list[list[str]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for name, at in depth.items():
        layers[at].append(name)
    return layers


def _middle(names: Iterable[str], place: Mapping[str, float], own: float) -> float:
    found = [place[name] for name in names]
    return sum(found) / len(found) if found else own


def _cut(layer: list[str]) -> list[list[str]]:
    most = ceil(len(layer) / ceil(len(layer) / ROWS))
    return [layer[at : at + most] for at in range(0, len(layer), most)]


def _spots(layers: list[list[str]]) -> dict[str, Spot]:
    columns = [column for layer in layers for column in _cut(layer)]
    tallest = max(map(len, columns), default=0)
    return {
        name: Spot(column, (tallest - len(names)) / 2 + row)
        for column, names in enumerate(columns)
        for row, name in enumerate(names)
    }
