"""A run as it is written down, whatever is said of it meanwhile.

In: doit's tasks and what came of them. Out: events of a `Run`. Never: a line for people.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from doit.exceptions import BaseFail, TaskFailed, UnmetDependency
from doit.task import Task

from loom.build.bridge.objects import CachedAction
from loom.build.housekeeping.ending import Run
from loom.build.housekeeping.journal import TaskEvent
from loom.build.phases import Phase
from loom.build.work.actions import ActionWork
from loom.build.work.generate import GenerateWork

_LONGEST = 8000


def is_ours(task: Task) -> bool:
    """Whether it is Loom that does the task."""
    return bool(task.actions) and isinstance(task.actions[0], CachedAction)


def opened(tasks: Iterable[Task]) -> Run | None:
    """None where no task is Loom's."""
    ours = next((task for task in tasks if is_ours(task)), None)
    return Run(ours.actions[0].work.workspace, sys.argv) if ours is not None else None


def closed(run: Run) -> str:
    """The last lines, for people."""
    return run.finish(interrupted=isinstance(sys.exc_info()[1], KeyboardInterrupt))


def noted(run: Run, task: Task, how: str, said: str = "") -> None:
    """What came of a task; of one that was kept, its key alone."""
    if not is_ours(task):
        run.note(TaskEvent(task.name, how, said=said[:_LONGEST]))
        return
    action = task.actions[0]
    known = action.known
    event = TaskEvent(task.name, how, action.milliseconds, known.key if known else "", said[:_LONGEST])
    if how != "kept":
        began = max(0, action.begun - run.begun) // 1_000_000
        entries, is_action = known.entries if known else (), isinstance(action.work, ActionWork)
        event = event._replace(began=began, entries=entries, needs=tuple(task.task_dep), sandboxed=is_action)
        event = event._replace(phases=tuple(_since(run.begun, one) for one in action.phases))
    run.note(event)


def _since(begun: int, phase: Phase) -> tuple[str, int, int]:
    return phase.name, (phase.begun - begun) // 1000, (phase.ended - begun) // 1000


def how_done(run: Run | None, task: Task) -> str:
    """The word of `TaskEvent.how` for a task of ours that succeeded.

    A worker process knows what ran in it alone. Who writes what others gave did so anew when one of those ran.
    kept by tests/engine/core/test_doit_options.py::test_workers_of_either_kind
    """
    how: str = task.values.get("cache", "ran")
    if run is None or how != "restored" or not isinstance(task.actions[0].work, GenerateWork):
        return how
    ran = {event.task for event in run.events if event.how == "ran"}
    return how if ran.isdisjoint(task.task_dep) else "ran"


def how_failed(fail: BaseFail) -> str:
    """The word of `TaskEvent.how` for what doit says of a task that did not succeed."""
    if isinstance(fail, UnmetDependency):
        return "skipped"
    return "failed" if isinstance(fail, TaskFailed) else "error"
