"""What all commands of ours share: whose a task is, and how a wrong word is answered.

In: a command line. Out: an exit code. Never: doit's own objects in a message.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import filter as matching
from typing import TYPE_CHECKING

from doit.cmd_base import DoitCmdBase
from doit.cmdparse import CmdParse, CmdParseError
from doit.dependency import DatabaseException
from doit.exceptions import InvalidCommand
from doit.task import Task

from loom.build.terminal import hung_up

if TYPE_CHECKING:
    from loom.build.work.work import Work

INTERRUPTED = 130
"""The exit code of a command that somebody ended, as shells count it."""
ON_WORKERS = "--remote-exec"
ON_WORKERS_OPTION: Mapping[str, object] = {
    "name": "remote_exec",
    "long": ON_WORKERS.removeprefix("--"),
    "type": bool,
    "default": False,
    "help": "run actions on the workers of the executor that `remote` names",
}
"""As doit wants options described: of every command that runs actions."""
_ADVICE = "wait for whoever holds it, make room, or delete `.loom/doit.sqlite`; results are kept elsewhere"


_SETTLED = ("DB backend", "doit core")
"""Sections of options that `DOIT_CONFIG` has settled."""


def work_of(task: Task) -> Work | None:
    """The work of a task of ours."""
    from loom.build.bridge.objects import CachedAction

    action = task.actions[0] if task.actions else None
    return action.work if isinstance(action, CachedAction) else None


def members(task: Task, tasks: Mapping[str, Task]) -> Iterator[Task]:
    """The task itself; for a group all that is in it, and in the groups in it."""
    if task.actions:
        yield task
        return
    for name in task.task_dep:
        yield from members(tasks[name], tasks)


def ask_warily(tasks: Sequence[Task]) -> None:
    """From now on no task is up to date that needs a model with mistakes."""
    work = next(filter(None, map(work_of, tasks)), None)
    if work is not None:
        work.workspace.wary = True


def refuse_patterns_without_match(words: Sequence[str], tasks: Sequence[Task], program: str) -> None:
    """InvalidCommand for the first; what follows a task that takes any words is its own affair."""
    free = {task.name for task in tasks if task.pos_arg is not None}
    names = [task.name for task in tasks]
    for word in words:
        if word in free:
            return
        if "*" in word and not word.startswith("-") and not matching(names, word):
            raise InvalidCommand(f"no task matches `{word}`; `{program} list --all` shows the tasks")


def _unusable_database() -> tuple[type[Exception], ...]:
    """What doit says then; loaded when something went wrong."""
    from sqlite3 import OperationalError

    return DatabaseException, OperationalError


class Telling(DoitCmdBase):
    """A wrong word is one line that says what would be right; a reader that closes early ends us without a word."""

    task_list: Sequence[Task] = ()

    def parse_execute(self, in_args: Sequence[str]) -> int:
        try:
            code: int = 0 if self.is_answered(in_args) else super().parse_execute(in_args)
            sys.stdout.flush()
        except (InvalidCommand, CmdParseError) as error:
            raise type(error)(self._told(error, in_args)) from None
        except _unusable_database() as broken:
            reason = str(broken).rpartition("Original error: ")[2]
            raise InvalidCommand(f"doit cannot use its database ({reason}): {_ADVICE}") from None
        except BrokenPipeError:
            return hung_up()
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")
            return INTERRUPTED
        return code

    def is_answered(self, words: Sequence[str]) -> bool:
        """Whether all was said already, before any task is loaded."""
        return False

    def help(self) -> str:
        """doit's page about the command, without the options that are no affair of its users."""
        said = [option for option in self.cmdparser.options if option.section not in _SETTLED]
        self._cmdparser = CmdParse(said)
        page: str = super().help()
        return page if said else page.replace("\n\nOPTIONS", "", 1)

    def _told(self, error: InvalidCommand | CmdParseError, words: Sequence[str]) -> str:
        from loom.build.bridge import mistakes

        if isinstance(error, InvalidCommand):
            stray = re.fullmatch(r"'(.+)' is not a task\.", str(error))
            name = stray[1] if stray else error.not_found
            others = self.loader.cmd_names if self.name in ("run", "help") else ()
            return mistakes.unknown_name(name, self._names(), self.bin_name, commands=others) if name else str(error)
        kind, _, rest = str(error).partition(": ")
        said, dumped, _ = rest.partition(" (parsing options: ")
        if not dumped:
            return " ".join(str(error).split())
        if kind.endswith("Task"):
            return mistakes.unknown_task_option(said, words, self.task_list)
        return mistakes.unknown_option(said, words, self)

    def _names(self) -> list[str]:
        return [task.name for task in self.task_list]
