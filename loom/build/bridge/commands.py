"""doit's commands, made to say more where the tasks are Loom's; elsewhere they are doit's own.

In: doit's parameters. Out: exit codes. Never: a change of what a task does.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence

from doit.cmd_base import DoitCmdBase
from doit.cmd_forget import Forget
from doit.cmd_info import Info
from doit.cmd_list import List
from doit.cmd_run import Run
from doit.cmdparse import CmdParseError
from doit.doit_cmd import DoitMain
from doit.exceptions import InvalidCommand
from doit.task import Task

from loom.build.bridge.objects import CachedAction
from loom.build.terminal import hung_up
from loom.build.work.work import Work


def work_of(task: Task) -> Work | None:
    """The work of a task of ours."""
    action = task.actions[0] if task.actions else None
    return action.work if isinstance(action, CachedAction) else None


class Telling(DoitCmdBase):
    """A wrong word is one line that says what would be right; a reader that closes early ends us without a word."""

    task_list: Sequence[Task] = ()

    def parse_execute(self, in_args: Sequence[str]) -> int:
        try:
            code: int = super().parse_execute(in_args)
            sys.stdout.flush()
        except (InvalidCommand, CmdParseError) as error:
            raise type(error)(self._told(error, in_args)) from None
        except BrokenPipeError:
            return hung_up()
        return code

    def _told(self, error: InvalidCommand | CmdParseError, words: Sequence[str]) -> str:
        from loom.build.bridge import mistakes

        if isinstance(error, InvalidCommand):
            name = error.not_found
            return mistakes.unknown_name(name, self._names(), self.bin_name) if name else str(error)
        kind, _, rest = str(error).partition(": ")
        said, dumped, _ = rest.partition(" (parsing options: ")
        if not dumped:
            return " ".join(str(error).split())
        if kind.endswith("Task"):
            return mistakes.unknown_task_option(said, words, self.task_list)
        return mistakes.unknown_option(said, words, self)

    def _names(self) -> list[str]:
        return [task.name for task in self.task_list]


_SAID_EARLY = {"--locked": "LOOM_LOCKED", "--allow-destructive": "LOOM_ALLOW_DESTRUCTIVE"}


class LoomRun(Telling, Run):
    """`-a` means to do the work again, not to fetch it from the store.

    Two options of `generate` are about every task before it, so they are heard before any task is loaded.
    """

    name = "run"
    cmd_options = (
        *Run.cmd_options,
        {
            "name": "keep_failed",
            "long": "keep-failed",
            "type": bool,
            "default": False,
            "help": "keep the folder of an action that fails, with a script that does it again",
        },
    )

    def execute(self, params: Mapping[str, object], args: Sequence[str]) -> int:
        if params["always"]:
            os.environ["LOOM_CACHE"] = "write"
        if params["keep_failed"]:
            os.environ["LOOM_KEEP_FAILED"] = "1"
        os.environ.update({variable: "1" for option, variable in _SAID_EARLY.items() if option in args})
        return self._uncollected(params, args)

    def _uncollected(self, params: Mapping[str, object], args: Sequence[str]) -> int:
        """Frozen values have no cycles: looking for some takes a third of a run and finds nothing.

        Nor is it worth a fifth of a run to take everything apart just before the process ends.
        """
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            code: int = super().execute(params, args)
        finally:
            gc.freeze()
            if was_enabled:
                gc.enable()
        return code


class LoomInfo(Telling, Info):
    """A task that is not there is a mistake of the user, not of doit."""

    name = "info"

    def _execute(self, pos_args: Sequence[str], hide_status: bool = False) -> int:
        known = {task.name for task in self.task_list}
        for name in pos_args:
            if name not in known:
                raise InvalidCommand(not_found=name)
        code: int = super()._execute(pos_args, hide_status)
        return code


class LoomList(Telling, List):
    """A group is up to date when all of it is."""

    name = "list"

    def _print_task(self, template: str, task: Task, status: bool, list_deps: bool, tasks: Mapping[str, Task]) -> None:
        if not status or task.actions or not self._is_current(task, tasks):
            super()._print_task(template, task, status, list_deps, tasks)
            return
        self.outstream.write(template.format(name=task.name, doc=task.doc, status="U"))

    def _is_current(self, task: Task, tasks: Mapping[str, Task]) -> bool:
        if task.actions:
            return bool(self.dep_manager.get_status(task, tasks).status == "up-to-date")
        return bool(task.task_dep) and all(self._is_current(tasks[name], tasks) for name in task.task_dep)


class LoomForget(Telling, Forget):
    """`--cache` forgets the stored result as well, so that the task really runs again."""

    name = "forget"
    cmd_options = (
        *Forget.cmd_options,
        {"name": "forget_cache", "long": "cache", "type": bool, "default": False, "help": "forget the result too"},
    )

    def _execute(self, forget_sub: bool, forget_disable_default: bool, forget_all: bool, forget_cache: bool) -> None:
        tasks = {task.name: task for task in self.task_list}
        chosen = list(tasks) if forget_all else list(self.sel_tasks)
        if forget_cache:
            for name in chosen:
                self._forget_results(name, tasks)
        super()._execute(forget_sub, forget_disable_default, forget_all)

    def _forget_results(self, name: str, tasks: Mapping[str, Task]) -> None:
        task = tasks.get(name)
        if task is None:
            return
        for part in task.task_dep if not task.actions else ():
            self._forget_results(part, tasks)
        work = work_of(task)
        known = work.known() if work is not None else None
        if work is not None and known is not None:
            for _, key in known.entries:
                work.workspace.results.forget(key)


class Explain(Telling):
    """Which part of a task's key changed."""

    name = "explain"
    doc_purpose = "say which part of a task's key changed"
    doc_usage = "TASK"
    doc_description = None
    cmd_options = ()

    def _execute(self, pos_args: Sequence[str]) -> int:
        # doit imports every command in every run.
        # kept by tests/engine/core/test_doit.py::test_nothing_to_do_imports_no_compiler
        from loom.build.commands.explain import explain

        works = {task.name: work_of(task) for task in self.task_list}
        if not pos_args:
            raise InvalidCommand("`explain` needs the name of a task")
        for name in pos_args:
            work = works.get(name)
            if work is None:
                raise InvalidCommand(not_found=name)
            self.outstream.write(explain(work.workspace, work))
        self.dep_manager.close()
        return 0


class LoomMain(DoitMain):
    """doit with these commands, wherever its plugins come from."""

    DOIT_CMDS = (
        *(command for command in DoitMain.DOIT_CMDS if command not in (Run, Info, List, Forget)),
        LoomRun,
        LoomInfo,
        LoomList,
        LoomForget,
        Explain,
    )
