"""All tasks of a project: what its dodo.py imports, and what `loom` runs.

In: a folder of the project. Out: `DOIT_CONFIG`, `task_loom`, `tasks_of`, `run`. Never: work of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loom.build.bridge.dodo import open_workspace, project_config, project_tasks
from loom.build.tasks import TaskDict
from loom.e2e.tasks import e2e_tasks

if TYPE_CHECKING:
    from loom.base.pipeline import Pipeline


class Tasks(NamedTuple):
    """What doit looks for in a dodo.py."""

    config: dict[str, object]
    creator: Callable[[], Iterator[TaskDict]]


def tasks_of(folder: str | Path) -> Tasks:
    """The tasks of the project at or above `folder`."""
    start = Path(folder).resolve()

    def task_loom() -> Iterator[TaskDict]:
        """A model as services: stages, output folders, gates, end-to-end tests."""
        workspace = open_workspace(start, compiler)
        yield from project_tasks(workspace)
        yield from e2e_tasks(workspace)

    return Tasks(project_config(start), task_loom)


DOIT_CONFIG, task_loom = tasks_of(Path.cwd())


def run(words: Sequence[str]) -> int:
    """What `doit` with these words does in a project whose dodo.py has nothing of its own."""
    from doit.cmd_base import ModuleTaskLoader

    from loom.build.bridge.commands import LoomMain

    tasks = tasks_of(Path.cwd())
    loader = ModuleTaskLoader({"DOIT_CONFIG": tasks.config, "task_loom": tasks.creator})
    code: int = LoomMain(loader).run(list(words))
    return code


def compiler() -> Pipeline:
    """Loaded only when something has to be looked at: it brings every stage with it."""
    from loom import compiler

    return compiler
