"""Circles are told once each, by a shortest way, however many names lead to them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from loom.base import circles

NAMES = st.sampled_from("abcdefg")


def test_a_circle_is_told_once_and_two_are_told_apart() -> None:
    graph = {"a": ("b",), "b": ("a",), "c": ("d",), "d": ("e",), "e": ("c",), "f": ("a",)}
    assert list(circles(graph)) == [("a", "b", "a"), ("c", "d", "e", "c")]


def test_names_that_lead_nowhere_are_on_no_circle() -> None:
    assert list(circles({"a": ("b", "missing"), "b": ()})) == []
    assert list(circles({"a": ("a",)})) == [("a", "a")]


def test_a_way_of_thousands_of_names_is_no_depth() -> None:
    chain = {str(number): (str(number + 1),) for number in range(20_000)}
    assert list(circles(chain)) == []
    (way,) = circles({**chain, "20000": ("0",)})
    assert len(way) == 20_002


@given(st.dictionaries(NAMES, st.lists(NAMES, max_size=4).map(tuple)))
def test_every_circle_is_a_shortest_way_and_none_is_missed(graph: dict[str, tuple[str, ...]]) -> None:
    found = list(circles(graph))
    for way in found:
        assert way[0] == way[-1] and len(way) - 1 == _shortest(way[0], graph)
        assert all(after in graph[before] for before, after in pairwise(way))
    told = {name for way in found for name in way}
    assert all(name in told for name in graph if _shortest(name, graph))


def _shortest(start: str, graph: dict[str, tuple[str, ...]]) -> int:
    """How many steps lead back to `start`, found by taking one at a time; 0 when none do."""
    here = {start}
    for steps in range(1, len(graph) + 1):
        here = {after for name in here for after in graph.get(name, ())}
        if start in here:
            return steps
    return 0
