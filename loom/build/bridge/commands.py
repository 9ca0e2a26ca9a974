"""doit's commands, made to say more where the tasks are Loom's; elsewhere they are doit's own.

In: doit's parameters. Out: exit codes. Never: a change of what a task does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import wraps

from doit.cmd_clean import Clean
from doit.cmd_forget import Forget
from doit.cmd_help import Help
from doit.cmd_ignore import Ignore
from doit.cmd_list import List
from doit.cmd_resetdep import ResetDep
from doit.doit_cmd import DoitMain
from doit.exceptions import InvalidCommand
from doit.task import Task

from loom.build.bridge.asking import Explain, Picture, Query, Reproduce, Verify, Why
from loom.build.bridge.completion import LoomTabCompletion
from loom.build.bridge.info import LoomInfo
from loom.build.bridge.run import LoomRun
from loom.build.bridge.telling import Telling, ask_warily, members, refuse_patterns_without_match, work_of
from loom.build.work.generate import GenerateWork


class LoomList(Telling, List):
    """A group is up to date when all of it is."""

    name = "list"

    @wraps(List._execute)
    def _execute(self, *values: object, **named: object) -> int:
        ask_warily(self.task_list)
        code: int = super()._execute(*values, **named)
        return code

    @staticmethod
    def _list_filtered(tasks: Mapping[str, Task], filter_tasks: Sequence[str], include_subtasks: bool) -> list[Task]:
        """doit knows one level of groups; completion asks for what is below `gate:python`."""
        found: list[Task] = List._list_filtered(tasks, filter_tasks, include_subtasks)
        below = [tasks[name] for name in filter_tasks if include_subtasks and tasks[name].subtask_of]
        return found + [task for group in below if not group.actions for task in members(group, tasks)]

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
        for task in members(tasks[name], tasks) if name in tasks else ():
            work = work_of(task)
            known = work.known() if work is not None else None
            if work is not None and known is not None:
                for _, key in known.entries:
                    work.workspace.results.forget(key)


class LoomClean(Telling, Clean):
    """What `generate` wrote goes, but for what was edited."""

    name = "clean"

    def clean_tasks(self, tasks: Sequence[Task], dryrun: bool, cleanforget: bool) -> None:
        for work in map(work_of, tasks):
            if isinstance(work, GenerateWork):
                self.outstream.write(work.clean(dryrun=dryrun))
        super().clean_tasks(tasks, dryrun, cleanforget)

    @wraps(Clean._execute)
    def _execute(self, *values: object, **named: object) -> None:
        refuse_patterns_without_match(self.sel_tasks, self.task_list, self.bin_name)
        super()._execute(*values, **named)


class LoomIgnore(Telling, Ignore):
    """A task that is ignored, and what needs it, does not run until it is forgotten."""

    name = "ignore"

    def _execute(self, pos_args: Sequence[str]) -> None:
        if not pos_args:
            raise InvalidCommand("`ignore` needs the name of a task")
        super()._execute(pos_args)


class LoomResetDep(Telling, ResetDep):
    """Nothing of Loom's hangs on what this renews; a dodo.py may have tasks of its own."""

    name = "reset-dep"


class LoomHelp(Telling, Help):
    """A word that is neither a command nor a task has no help."""

    name = "help"

    def _execute(self, pos_args: Sequence[str]) -> bool:
        if pos_args[0] not in self._names():
            raise InvalidCommand(not_found=pos_args[0])
        is_told: bool = super()._execute(pos_args)
        return is_told


class LoomMain(DoitMain):
    """doit with these commands, wherever its plugins come from; its database is none that `dumpdb` could read."""

    DOIT_CMDS = (
        LoomRun,
        LoomInfo,
        LoomList,
        LoomForget,
        LoomClean,
        LoomIgnore,
        LoomResetDep,
        LoomHelp,
        LoomTabCompletion,
        Explain,
        Why,
        Query,
        Reproduce,
        Verify,
        Picture,
    )
