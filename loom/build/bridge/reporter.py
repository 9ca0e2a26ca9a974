"""What a run prints: `.  ` for a task that ran, `=  ` for one restored, `-- ` for one up to date.

In: doit's calls. Out: lines, and below them how far the run is. Never: a line before it is known whether the task ran.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from doit.exceptions import BaseFail
from doit.reporter import ConsoleReporter
from doit.task import Task

from loom.build.bridge.noting import closed, how_done, how_failed, is_ours, noted, opened
from loom.build.housekeeping.ending import Run
from loom.build.terminal import grouped, painted

if TYPE_CHECKING:
    from loom.build.bridge.screen import Screen

_MARKS = {"ran": ".  ", "restored": "=  "}
_PLACES = {"remote": " (remote)"}


class LoomReporter(ConsoleReporter):
    """Failures are told once, when they happen, in their own words."""

    desc = "what ran, what was restored, what was up to date"
    run: Run | None = None
    screen: Screen | None = None
    tasks: Mapping[str, Task]
    selected: Sequence[str]
    done: set[str]

    def initialize(self, tasks: Mapping[str, Task], selected_tasks: Sequence[str]) -> None:
        super().initialize(tasks, selected_tasks)
        self.tasks, self.selected, self.done = tasks, selected_tasks, set()
        self.lock = threading.Lock()
        self.run = opened(tasks.values())

    def write(self, text: str) -> None:
        if self.screen is not None:
            self.screen.write(text)
        else:
            self.outstream.write(text)

    def complete_run(self) -> None:
        if self.screen is not None:
            self.screen.end()
        super().complete_run()
        if self.run is not None:
            self.write(closed(self.run))
        self._record()

    def _record(self) -> None:
        """What may be said again: of every task that it has, each done.

        `-s` takes away what the task depends on.
        kept by tests/engine/project/test_standing_answer.py::test_part_of_the_tasks_is_no_answer
        """
        if list(self.selected) != ["generate"]:
            return
        task = self.tasks["generate"]
        if is_ours(task) and task.task_dep and (names := _needed([task.name], self.tasks)) <= self.done:
            works = [one.actions[0].work for name, one in self.tasks.items() if name in names]
            from loom.build.standing.record import record

            record(works[0].workspace, works)

    def _note(self, task: Task, how: str, said: str = "") -> None:
        if self.run is None:
            return
        noted(self.run, task, how, said)
        if self.screen is not None:
            self.screen.progress.end(task.name, self.run.events[-1].how)

    def execute_task(self, task: Task) -> None:
        """Said by `add_success`: whether it is restored shows only then."""
        if task.actions and not is_ours(task):
            super().execute_task(task)
        if task.actions and self.run is not None:
            self._watched(self.run).progress.begin(task.name)

    def _watched(self, run: Run) -> Screen:
        """Made for the first task that has to run: a run with nothing to do starts no thread."""
        with self.lock:  # doit's workers call each for itself
            if self.screen is None:
                self.screen = self._opened(run)
                self.screen.go_on()
            return self.screen

    def _opened(self, run: Run) -> Screen:
        from loom.build.bridge.progress import Progress, Sources
        from loom.build.bridge.screen import screen

        total = len(_needed(self.selected, self.tasks))
        progress = Progress(time.monotonic, total, Sources(run.traffic, run.expected))
        for event in run.events:
            progress.end(event.task, event.how)
        return screen(self.outstream, progress)

    def add_success(self, task: Task) -> None:
        if not is_ours(task):
            if self.screen is not None:
                self.screen.progress.end(task.name, "ran")
            return
        self.done.add(task.name)
        how = how_done(self.run, task)
        self.write(f"{_MARKS.get(how, '.  ')}{task.title()}{_PLACES.get(how, '')}\n")
        if text := task.values.get("text", ""):
            self.write(grouped(task.title(), painted(text, self.outstream)))
        self._note(task, how)

    def skip_uptodate(self, task: Task) -> None:
        if not is_ours(task):
            super().skip_uptodate(task)
            return
        self.done.add(task.name)
        self.write(f"-- {task.title()}\n")
        action = task.actions[0]
        known = action.known = action.work.known()
        self._note(task, "kept")
        if known is not None and known.warnings:
            self.write(painted(action.work.replay(), self.outstream))

    def skip_ignore(self, task: Task) -> None:
        """doit says it of what needs an ignored task, too."""
        if not is_ours(task):
            super().skip_ignore(task)
            return
        self.write(f"!! {task.title()} ignored, or it needs what is ignored\n")
        self._note(task, "ignored")

    def add_failure(self, task: Task, fail: BaseFail) -> None:
        if not is_ours(task):
            super().add_failure(task, fail)
            self.write(f"!! {task.title()} {how_failed(fail)}\n")
            self._note(task, how_failed(fail), fail.message)
            return
        how = how_failed(fail)
        if how == "skipped":
            self.write(f"!! {task.title()} not run: {fail.message.replace(' ', ', ')} failed\n")
            self._note(task, how)
            return
        self.write(f"!! {task.title()} {how}\n")
        self._note(task, how, fail.message)
        self.write(painted(fail.message.rstrip("\n") + "\n", self.outstream) if fail.message else "")


def _needed(names: Iterable[str], tasks: Mapping[str, Task]) -> set[str]:
    """The tasks of these names and all before them, groups aside."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        task = tasks[waiting.pop()]
        if task.name not in found:
            found |= {task.name} if task.actions else set()
            waiting += task.task_dep
    return found
