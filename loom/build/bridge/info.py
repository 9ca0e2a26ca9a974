"""`loom info`: what a task is, whether it is up to date, and its key.

In: the name of a task or a group. Out: text, and doit's exit code: 1 when something would run.
Never: how doit found it out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from doit.cmd_info import Info
from doit.exceptions import InvalidCommand
from doit.task import Task

from loom.build.bridge.objects import Uptodate
from loom.build.bridge.telling import Telling, ask_warily, members, work_of
from loom.build.project.problem import ProjectProblem

_ROW = "\n{:11s}: {}\n"


class LoomInfo(Telling, Info):
    """A task that is not there is a mistake of the user, not of doit; a group is up to date when all of it is."""

    name = "info"

    def _execute(self, pos_args: Sequence[str], hide_status: bool = False) -> int:
        tasks = {task.name: task for task in self.task_list}
        for name in pos_args:
            if name not in tasks:
                raise InvalidCommand(not_found=name)
        ask_warily(self.task_list)
        chosen = tasks[pos_args[0]] if len(pos_args) == 1 else None
        is_group = chosen is not None and not chosen.actions and bool(chosen.task_dep)
        code: int = super()._execute(pos_args, hide_status or is_group)
        if chosen is not None and not hide_status:
            code = self._told_group(chosen, tasks) if is_group else code
            self._tell_key(chosen)
        return code

    def _told_group(self, group: Task, tasks: Mapping[str, Task]) -> int:
        """Its status, and below it those of its tasks that would run, each with the reason."""
        found = [(task, self.dep_manager.get_status(task, tasks, get_log=True)) for task in members(group, tasks)]
        due = [(task, status) for task, status in found if status.status != "up-to-date"]
        self.outstream.write(_ROW.format("status", "run" if due else "up-to-date"))
        for task, status in due:
            self.outstream.write(f" - {task.name}\n{_indented(self.get_reasons(status.reasons))}")
        return int(bool(due))

    def _tell_key(self, task: Task) -> None:
        """What `loom explain TASK --against KEY` takes, there or elsewhere."""
        work = work_of(task)
        try:
            known = work.known() if work is not None else None
        except ProjectProblem:  # already told, as the reason why the task would run
            return
        if known is not None:
            self.outstream.write(_ROW.format("key", known.key))

    @staticmethod
    def get_reasons(reasons: defaultdict[str, list[tuple[object, object, object]]]) -> str:
        """In its own words where the task is Loom's, in doit's elsewhere."""
        others = reasons.copy()
        others["uptodate_false"] = [row for row in reasons["uptodate_false"] if not isinstance(row[0], Uptodate)]
        own = [f" * {row[0]}" for row in reasons["uptodate_false"] if isinstance(row[0], Uptodate)]
        return "\n".join([*own, *filter(None, [Info.get_reasons(others)])])


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
