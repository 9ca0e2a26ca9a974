"""What the last run knew, so that a run with nothing to do reads one file and compares stamps.

In: `.loom/state.marshal`. Out: the outline of the project and the key of each task, if nothing changed.
Never: the truth: whatever is lost here is found again from the stores.
"""

from __future__ import annotations

import marshal
import sys
from typing import NamedTuple

from loom.build.stamps import Stamp, settled, unchanged
from loom.build.store.atomic import write_disposable

_FORMAT = ("loom.state/3", sys.version)


class Outline(NamedTuple):
    """What there is to build, in plain tuples."""

    stages: tuple[tuple[str, str], ...]
    """Name, and what there is one step for: file, context, deployable or system."""
    files: tuple[str, ...]
    systems: tuple[tuple[str, str], ...]
    """Name and output folder."""
    deployables: tuple[tuple[str, str, str], ...]
    """Slug, backend, system."""
    gates: tuple[tuple[str, bool], ...]
    """Backends that have a gate, and whether it takes their dependencies."""


class Known(NamedTuple):
    """The key of a task, how many warnings its cached value holds, and the key of each step or action in it."""

    key: str
    warnings: int
    entries: tuple[tuple[str, str], ...]


class State(NamedTuple):
    """`settings` are what the environment and `loom.yaml` chose.

    `known` goes with the stamps; `ran` is as of each task's last run, `previous` as of the one before its last change.
    """

    settings: tuple[str, ...]
    stamps: dict[str, Stamp]
    outline: Outline
    known: dict[str, Known]
    ran: dict[str, Known]
    previous: dict[str, Known]

    def holds(self, settings: tuple[str, ...]) -> bool:
        """Whether nothing that it was made from has changed since."""
        return self.settings == settings and unchanged(self.stamps)


def load_state(path: str) -> State | None:
    """None when there is none that this version wrote; whether it still holds is another question."""
    try:
        with open(path, "rb") as stream:
            form, settings, stamps, outline, known, ran, previous = marshal.loads(stream.read())
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if form != _FORMAT:
        return None
    return State(settings, stamps, Outline(*outline), _named(known), _named(ran), _named(previous))


def _named(known: dict[str, tuple[str, int, tuple[tuple[str, str], ...]]]) -> dict[str, Known]:
    return {name: Known(*item) for name, item in known.items()}


def _plain(known: dict[str, Known]) -> dict[str, tuple[object, ...]]:
    return {name: tuple(item) for name, item in known.items()}


def save_state(path: str, state: State) -> None:
    tables = _plain(state.known), _plain(state.ran), _plain(state.previous)
    data = marshal.dumps((_FORMAT, state.settings, settled(state.stamps), tuple(state.outline), *tables))
    write_disposable(path, data)
