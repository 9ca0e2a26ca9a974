"""Keys of earlier times, as far as the state, the last runs and the store remember them.

In: a workspace, a task, the beginning of a key. Out: keys. Never: a look at what they stand for.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from loom.build.housekeeping.journal import past_keys
from loom.build.store.results import ResultStore

if TYPE_CHECKING:
    from loom.build.commands.preimages import Stored
    from loom.build.work.work import Work
    from loom.build.workspace import Workspace

SHORTEST = 6
"""Letters of a key that are enough to mean it."""


def known_entries(workspace: Workspace, task: str, key: str) -> dict[str, str]:
    """The keys of the steps of a task when its own was `key`, as far as runs and state remember."""
    state = workspace.last
    known = [table[task] for table in (state.ran, state.previous, state.known) if task in table] if state else []
    for item in known:
        if len(key) >= SHORTEST and item.key.startswith(key):
            return dict(item.entries)
    return next((dict(entries) for own, entries in past_keys(workspace.project.state, task) if own.startswith(key)), {})


def keys_like(results: ResultStore, key: str) -> list[str]:
    """Stored results whose key begins so."""
    if len(key) < SHORTEST or not re.fullmatch("[0-9a-f]+", key):
        return []
    return sorted(Path(path).stem for path in Path(results.path("")).parent.glob(f"{key}*.json"))


def past_entries(workspace: Workspace, task: str) -> list[dict[str, str]]:
    """The keys of the steps of a task at each time that is remembered, the newest first."""
    state = workspace.last
    known = [table[task] for table in (state.ran, state.previous) if task in table] if state else []
    return [dict(item.entries) for item in known] + [
        dict(entries) for _, entries in past_keys(workspace.project.state, task)
    ]


def last_preimage(workspace: Workspace, work: Work, stored: Stored) -> bytes:
    """What the action of a task was, the last time that it was done here; what it would be, when that is not known."""
    for entries in past_entries(workspace, work.name):
        preimage = stored.preimage(entries.get("", ""))
        if preimage is not None:
            return preimage
    return work.preimages()[""]
