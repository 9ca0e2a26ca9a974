"""What to say of a word on the command line that names nothing.

In: the wrong word, and what there is. Out: one line. Never: doit's own objects in a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from doit.cmd_base import DoitCmdBase
from doit.cmdparse import CmdOption
from doit.task import Task

from loom.base.nearest import nearest
from loom.build.bridge.words import OWN


def unknown_name(name: str, tasks: Iterable[str], program: str, *, commands: Iterable[str] = ()) -> str:
    """Names the other members of the group when the group is right, else the nearest task or command.

    `commands` are doit's, where one may stand as well.
    """
    known = list(tasks)
    group = name
    while (group := group.rpartition(":")[0]) and group not in known:
        pass
    head = f"there is no task `{name}`"
    members = [task for task in known if group and task.rpartition(":")[0] == group]
    if members:
        near = nearest(name.removeprefix(f"{group}:"), [task.rpartition(":")[2] for task in members])
        return f"{head}{_meant(near and f'{group}:{near}')}; in `{group}` there {_are(members)}"
    others = [*commands, *(OWN if commands and program == "loom" else ())]
    near = nearest(name, [*known, *others])
    if not others:
        return f"{head}{_meant(near)}; `{program} list` shows the tasks"
    return f"{head} and no such command{_meant(near)}; `{program} list` shows the tasks, `{program} help` the commands"


def unknown_option(said: str, words: Sequence[str], command: DoitCmdBase) -> str:
    """For an option of the command itself, of which there are many."""
    near = _near(said, words, _long(command.cmdparser.options))
    return f"`{command.name}`: {said}{near}; `{command.bin_name} help {command.name}` shows what there is"


def unknown_task_option(said: str, words: Sequence[str], tasks: Iterable[Task]) -> str:
    """For one that follows the name of a task."""
    by_name = {task.name: task for task in tasks}
    wrong = next((at for at, word in enumerate(words) if _names_option(word, said)), len(words))
    task = next((by_name[word] for word in reversed(words[:wrong]) if word in by_name), None)
    options = [CmdOption(option) for option in task.params] if task is not None else []
    long = _long(options)
    whose = f"`{task.name}`" if task is not None else "the task"
    return f"{whose}: {said}{_near(said, words, long)}; " + (f"there {_are(long)}" if long else "it takes no options")


def _long(options: Iterable[CmdOption]) -> list[str]:
    return [f"--{option.long}" for option in options if option.long]


def _near(said: str, words: Sequence[str], long: Sequence[str]) -> str:
    """`said` is what getopt has against the option."""
    wrong = next((word.partition("=")[0] for word in words if _names_option(word, said)), "")
    return _meant(nearest(wrong, long) if wrong.startswith("--") else "")


def _names_option(word: str, said: str) -> bool:
    return word.startswith("-") and word.partition("=")[0] in said.split()


def _meant(near: str) -> str:
    return f", did you mean `{near}`?" if near else ""


def _are(names: Sequence[str]) -> str:
    return f"{'are' if len(names) > 1 else 'is'} " + ", ".join(f"`{name}`" for name in names)
