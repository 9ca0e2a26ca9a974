"""What a run prints: `.  ` for a task that ran, `=  ` for one restored, `-- ` for one up to date.

In: doit's calls. Out: lines. Never: a line before it is known whether the task ran.
"""

from __future__ import annotations

from doit.exceptions import BaseFail, TaskFailed, UnmetDependency
from doit.reporter import ConsoleReporter
from doit.task import Task

from loom.build.bridge.objects import CachedAction
from loom.build.terminal import painted

_MARKS = {"ran": ".  ", "restored": "=  "}


class LoomReporter(ConsoleReporter):
    """Failures are told once, when they happen, in their own words."""

    desc = "what ran, what was restored, what was up to date"

    def execute_task(self, task: Task) -> None:
        """Said by `add_success`: whether it is restored shows only then."""
        if task.actions and not _is_ours(task):
            super().execute_task(task)

    def add_success(self, task: Task) -> None:
        if not _is_ours(task):
            return
        self.write(f"{_MARKS.get(task.values.get('cache', ''), '.  ')}{task.title()}\n")
        self.write(painted(task.values.get("text", ""), self.outstream))

    def skip_uptodate(self, task: Task) -> None:
        if not _is_ours(task):
            super().skip_uptodate(task)
            return
        self.write(f"-- {task.title()}\n")
        known = task.actions[0].work.known()
        if known is not None and known.warnings:
            self.write(painted(task.actions[0].work.replay(), self.outstream))

    def add_failure(self, task: Task, fail: BaseFail) -> None:
        if not _is_ours(task):
            super().add_failure(task, fail)
            return
        if isinstance(fail, UnmetDependency):
            self.write(f"!! {task.title()} not run: {fail.message.replace(' ', ', ')} failed\n")
            return
        mark = "failed" if isinstance(fail, TaskFailed) else "error"
        self.write(f"!! {task.title()} {mark}\n")
        self.write(painted(fail.message.rstrip("\n") + "\n", self.outstream) if fail.message else "")


def _is_ours(task: Task) -> bool:
    return bool(task.actions) and isinstance(task.actions[0], CachedAction)
