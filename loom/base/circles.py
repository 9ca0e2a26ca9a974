"""Ways in a graph of names that come back to where they began, found in time that grows with the graph alone.

In: the names that each name leads to. Out: circles. Never: recursion: a graph may be thousands of names deep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

Graph = Mapping[str, tuple[str, ...]]


def circles(graph: Graph) -> Iterator[tuple[str, ...]]:
    """A shortest way from a name back to itself, for the first name on each circle that no way before it has met."""
    reported: set[str] = set()
    rounds = _rounds(graph)
    for name in graph:
        if name in rounds and name not in reported:
            way = _way(name, graph, rounds)
            reported |= set(way)
            yield way


def _way(start: str, graph: Graph, rounds: Mapping[str, int]) -> tuple[str, ...]:
    """A shortest way from `start` back to itself; it never leaves the names that lead to each other."""
    before: dict[str, str] = {}
    waiting = [start]
    for name in waiting:
        for following in graph[name]:
            if following == start:
                return (*_back(start, name, before), start)
            if following not in before and rounds.get(following) == rounds[start]:
                before[following] = name
                waiting.append(following)
    raise ValueError(f"no way leads from {start} back to it")


def _back(start: str, name: str, before: Mapping[str, str]) -> list[str]:
    way = [name]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]


class _Walk(msgspec.Struct):
    """Tarjan's algorithm with a stack of its own: `lows` is the oldest name that is reached from one."""

    graph: Graph
    lows: dict[str, int] = msgspec.field(default_factory=dict)
    order: dict[str, int] = msgspec.field(default_factory=dict)
    open: list[str] = msgspec.field(default_factory=list)
    rounds: dict[str, int] = msgspec.field(default_factory=dict)
    path: list[tuple[str, Iterator[str]]] = msgspec.field(default_factory=list)

    def enter(self, name: str) -> None:
        self.order[name] = self.lows[name] = len(self.order)
        self.open.append(name)
        self.path.append((name, iter(self.graph[name])))

    def look(self, name: str, following: str) -> None:
        """One way on from `name`."""
        if following not in self.graph:
            return
        if following not in self.order:
            self.enter(following)
        elif following in self.lows:
            self.lows[name] = min(self.lows[name], self.order[following])

    def leave(self, name: str) -> None:
        """All ways on from `name` are known: if it reaches nothing older, what was opened since is one round."""
        self.path.pop()
        if self.path:
            above = self.path[-1][0]
            self.lows[above] = min(self.lows[above], self.lows[name])
        if self.lows[name] == self.order[name]:
            self.close(name)

    def close(self, name: str) -> None:
        members: list[str] = []
        while not members or members[-1] != name:
            members.append(self.open.pop())
        for member in members:
            del self.lows[member]
            if len(members) > 1 or name in self.graph[name]:
                self.rounds[member] = self.order[name]


def _rounds(graph: Graph) -> dict[str, int]:
    """The names on a circle, with a number that those share which lead to each other."""
    walk = _Walk(graph)
    for start in graph:
        if start not in walk.order:
            walk.enter(start)
        while walk.path:
            name, ways = walk.path[-1]
            following = next(ways, None)
            if following is None:
                walk.leave(name)
            else:
                walk.look(name, following)
    return walk.rounds
