"""The other world: everything that a key does not name, and a result therefore must not depend on, is different.

In: a workspace. Out: environments, a clock that is off, a single processor. Never: a change of what keys are made of,
but for the variables of the fixed world, to which rebuilding is deaf on purpose.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from loom.build.actions.action import Action, ActionInput
from loom.build.store.tree import Tree

if TYPE_CHECKING:
    from loom.build.sandbox.job import Sandbox
    from loom.build.workspace import Workspace

VARIABLES: Mapping[str, str] = {"LC_ALL": "C", "PYTHONHASHSEED": "4711", "TZ": "XYZ-13:37"}
"""POSIX's own spelling of a zone and a locale: every root has both."""

_CLOCK = "clock"
LIBRARY = "usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
# Of the clock alone: waits take as long as ever, and no two actions share what they count.
_SHIFTED = "+400d"
_NEXT_DAY = "+26h"
_ALONE: Mapping[str, str] = {
    "FAKETIME_DISABLE_SHM": "1",
    "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    "NO_FAKE_STAT": "1",
}


class Clock:
    """A library that turns the clock of whoever loads it."""

    def __init__(self, workspace: Workspace, sandbox: Sandbox) -> None:
        self._content = workspace.content
        self.library = _root(workspace, sandbox) / LIBRARY

    def of_host(self) -> dict[str, str]:
        """For a process of this machine."""
        return turned(self.library, _SHIFTED)

    def in_sandbox(self, action: Action) -> Action:
        """The library is one more input of the action. A fetch has another day and hour alone: certificates run out."""
        moved = _NEXT_DAY if action.network == "fetch" else _SHIFTED
        entry = self._content.capture_file(str(self.library), self.library.name, self.library.stat().st_mode)
        tree = self._content.put_tree(Tree.of([entry]))
        preload = turned(Path(f"/in/{_CLOCK}/{self.library.name}"), moved)
        return action.model_copy(
            update={
                "inputs": (*action.inputs, ActionInput.of(_CLOCK, tree)),
                "env": tuple(sorted({**dict(action.env), **preload}.items())),
            }
        )


def turned(library: Path, moved: str) -> dict[str, str]:
    """What lets a process have its clock moved by that much."""
    return {"LD_PRELOAD": str(library), "FAKETIME": moved, **_ALONE}


def otherwise(action: Action) -> Action:
    """The same commands where other variables are in force."""
    return action.model_copy(update={"env": tuple(sorted({**dict(action.env), **VARIABLES}.items()))})


@contextmanager
def one_processor() -> Iterator[bool]:
    """Whether there was more than the one that is left."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(every)})
    try:
        yield len(every) > 1
    finally:
        os.sched_setaffinity(0, every)


def _root(workspace: Workspace, sandbox: Sandbox) -> Path:
    from loom.build.toolchain.relock import root_or_relocked

    project = workspace.project
    return root_or_relocked(_CLOCK, project.root, project.provider(_CLOCK), workspace.content, sandbox)[0].folder
