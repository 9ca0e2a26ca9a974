"""What the last run knew, so that a run with nothing to do reads one file and compares stamps.

In: `.loom/state.marshal`. Out: the outline of the project and the key of each task, if nothing changed.
Never: the truth: whatever is lost here is found again from the stores.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from typing import NamedTuple

from loom.build.stamps import Stamp, settled, unchanged

_FORMAT = ("loom.state/1", sys.version)


class Outline(NamedTuple):
    """What there is to build, in plain tuples."""

    stages: tuple[tuple[str, str], ...]
    """Name, and what there is one step for: file, context, deployable or system."""
    files: tuple[str, ...]
    systems: tuple[tuple[str, str], ...]
    """Name and output folder."""
    deployables: tuple[tuple[str, str, str], ...]
    """Slug, backend, system."""
    gates: tuple[str, ...]
    """Backends that have a gate."""


class Known(NamedTuple):
    """The key of a task, and how many warnings its cached value holds."""

    key: str
    warnings: int


class State(NamedTuple):
    """`settings` are what the environment and `loom.yaml` chose."""

    settings: tuple[str, ...]
    stamps: dict[str, Stamp]
    outline: Outline
    known: dict[str, Known]


def load_state(path: str, settings: tuple[str, ...]) -> State | None:
    """None when there is none, or when anything that it was made from has changed."""
    try:
        with open(path, "rb") as stream:
            form, were, stamps, outline, known = marshal.loads(stream.read())
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if form != _FORMAT or were != settings or not unchanged(stamps):
        return None
    return State(settings, stamps, Outline(*outline), {name: Known(*item) for name, item in known.items()})


def save_state(path: str, state: State) -> None:
    """A project that cannot be written to only makes the next run slower."""
    known = {name: tuple(item) for name, item in state.known.items()}
    data = marshal.dumps((_FORMAT, state.settings, settled(state.stamps), tuple(state.outline), known))
    temporary = f"{path}.{os.getpid()}"
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
