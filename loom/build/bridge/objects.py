"""The two things that doit holds of a task: is it up to date, and what to do when it is not.

In: a work. Out: doit's verdicts. Never: a change of anything while only the status is asked for.
"""

from __future__ import annotations

import errno
import time
import traceback
from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import TextIO

from doit.action import BaseAction
from doit.exceptions import TaskError, TaskFailed
from doit.task import Task

from loom.build.phases import Phase, phase, watched
from loom.build.project.problem import ProjectProblem
from loom.build.state import Known
from loom.build.work.busy import Ended
from loom.build.work.work import Options, Work, WorkBroken, WorkFailed

MISTAKEN = "the model does not compile, see `loom validate`"


class Uptodate:
    """Pure. Its text is the reason, which `doit info` prints."""

    # doit asks every one of them for its parameters, which is dear to find out.
    __signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("task", "values")])

    def __init__(self, work: Work) -> None:
        self._work = work
        self._reason = "not asked yet"

    def __call__(self, task: Task, values: Mapping[str, str]) -> bool:
        self._reason = self._told(task, values.get("key", ""))
        return not self._reason

    def _held_up(self, task: Task) -> str:
        """A key says what was made before; whatever needs a model with mistakes cannot be made at all."""
        workspace = self._work.workspace
        return MISTAKEN if workspace.wary and task.task_dep and workspace.is_known_mistaken else ""

    def __repr__(self) -> str:
        return self._reason or "nothing changed"

    def _told(self, task: Task, key: str) -> str:
        try:
            return self._why_not(key) or self._held_up(task)
        except ProjectProblem as problem:  # the action meets it again, where doit can print it
            return str(problem)

    def _why_not(self, key: str) -> str:
        known = self._work.known()
        if known is None:
            return "what it needs has to be made first"
        if known.key != key:
            return "its key changed, see `loom explain`" if key else "it was not run here before"
        return self._work.missing()


class CachedAction(BaseAction):
    """The only action of a task. What it says is printed by the reporter, never from a worker."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.task: Task | None = None
        self.out = self.err = ""
        self.result: str | None = None
        self.values: dict[str, str] = {}
        self.known: Known | None = None
        self.begun = self.milliseconds = 0
        self.phases: list[Phase] = []

    def __str__(self) -> str:
        return f"loom {self.work.name}"

    def execute(self, out: TextIO | None = None, err: TextIO | None = None) -> TaskFailed | TaskError | None:
        self.begun = time.monotonic_ns()
        try:
            with self.work.workspace.busy.one(), watched() as self.phases, phase(self.work.name):
                return self._run()
        except Ended:
            return TaskError("the run was ended")
        finally:
            self.milliseconds = (time.monotonic_ns() - self.begun) // 1_000_000

    def _run(self) -> TaskFailed | TaskError | None:
        options = self.task.options if self.task and self.task.options else {}
        try:
            outcome = self.work.run(Options(overwrite=bool(options.get("overwrite"))))
        except (WorkFailed, ProjectProblem) as failed:
            return TaskFailed(str(failed))
        except WorkBroken as broken:
            return TaskError(str(broken))
        except OSError as error:
            return TaskError(_disk(error) or f"Loom failed in {self.work.name}\n{traceback.format_exc()}")
        except Exception:  # a fault of ours: doit shows it whole and ends with exit code 2
            return TaskError(f"Loom failed in {self.work.name}\n{traceback.format_exc()}")
        self.known = outcome.known
        self.result = outcome.known.key
        self.out = outcome.text
        self.values = {"key": outcome.known.key, "cache": outcome.how, "text": outcome.text}
        return None


_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.EFBIG})


def _disk(error: OSError) -> str:
    """What to tell when the machine, not Loom, is at fault; empty when it may be Loom."""
    return f"{error.filename or 'the store'}: {error.strerror}" if error.errno in _DISK else ""
