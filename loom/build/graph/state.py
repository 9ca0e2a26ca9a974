"""How each task stands: up to date, in the store, to be run, or failed when it last did.

In: a graph, a workspace. Out: a word and a time for each task. Never: a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from loom.build.graph.tasks import Graph, Node
from loom.build.housekeeping.journal import events, runs, task_events
from loom.build.housekeeping.took import took
from loom.build.workspace import Workspace


class State(StrEnum):
    """In the words that people read."""

    CURRENT = "up to date"
    STORED = "in the store"
    MISSING = "would run"
    FAILED = "failed"
    FOREIGN = "without a key"


class Standing(NamedTuple):
    """`milliseconds` are those of the last time that it really ran; 0 where nobody knows."""

    state: State
    milliseconds: int


def standings(graph: Graph, workspace: Workspace) -> dict[str, Standing]:
    """Groups have none."""
    failed = _failed(workspace)
    return {node.name: _standing(node, workspace, failed) for node in graph.nodes.values() if not node.is_group}


def _standing(node: Node, workspace: Workspace, failed: Mapping[str, str]) -> Standing:
    if node.work is None:
        return Standing(State.FOREIGN, 0)
    last = workspace.last.ran.get(node.name) if workspace.last else None
    known = node.work.known()
    timed = known or last
    time = took(workspace.results, (key for _, key in timed.entries)) if timed is not None else 0
    if known is None or not all(workspace.results.has(key) for _, key in known.entries):
        return Standing(State.FAILED if failed.get(node.name) in ("failed", "error") else State.MISSING, time)
    is_current = last is not None and last.key == known.key and not node.work.missing()
    return Standing(State.CURRENT if is_current else State.STORED, time)


def _failed(workspace: Workspace) -> dict[str, str]:
    """How each task went in the last run that it was part of."""
    found: dict[str, str] = {}
    for run in reversed(runs(workspace.project.state)):
        found |= {event.task: event.how for event in task_events(events(run))}
    return found
