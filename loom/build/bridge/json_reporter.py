"""doit's JSON of a run, which is written down like any other run.

In: doit's calls. Out: one JSON document, and nothing else. Never: a line for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from doit.exceptions import BaseFail
from doit.reporter import JsonReporter
from doit.task import Task

from loom.build.bridge.noting import closed, how_done, how_failed, is_ours, noted, opened
from loom.build.housekeeping.ending import Run


class LoomJsonReporter(JsonReporter):
    """What is on its way to others arrives before the document ends."""

    run: Run | None = None

    def initialize(self, tasks: Mapping[str, Task], selected_tasks: Sequence[str]) -> None:
        self.run = opened(tasks.values())

    def add_success(self, task: Task) -> None:
        super().add_success(task)
        if is_ours(task):
            self._note(task, how_done(self.run, task))

    def skip_uptodate(self, task: Task) -> None:
        super().skip_uptodate(task)
        if is_ours(task):
            task.actions[0].known = task.actions[0].work.known()
        self._note(task, "kept")

    def skip_ignore(self, task: Task) -> None:
        super().skip_ignore(task)
        self._note(task, "ignored")

    def add_failure(self, task: Task, exception: BaseFail) -> None:
        super().add_failure(task, exception)
        self._note(task, how_failed(exception), exception.message)

    def complete_run(self) -> None:
        if self.run is not None:
            closed(self.run)
        super().complete_run()

    def _note(self, task: Task, how: str, said: str = "") -> None:
        if self.run is not None and is_ours(task):
            noted(self.run, task, how, said)
