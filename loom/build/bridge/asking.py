"""Commands about tasks: `explain`, `why`, `query`, `reproduce`, `verify`.

In: words. Out: text. Never: a change of anything; and what answers is loaded when it is asked, for doit imports every
command in every run.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from doit.control import TaskControl
from doit.exceptions import InvalidCommand
from doit.task import Task

from loom.build.bridge.objects import MISTAKEN
from loom.build.bridge.telling import ON_WORKERS, ON_WORKERS_OPTION, Telling, members, work_of
from loom.build.graph.tasks import Graph, graph_of
from loom.build.project.problem import ProjectProblem, Unable, complaint
from loom.build.remote.asked import ASKED
from loom.build.work.actions import ActionWork
from loom.build.work.work import Work
from loom.build.workspace import Workspace


def _text(name: str, help_: str) -> Mapping[str, object]:
    return {"name": name, "long": name, "type": str, "default": "", "help": help_}


class Asking(Telling, ABC):
    """Names of tasks and groups become works; a mistake of the user is one line."""

    doc_usage = "TASK ..."
    doc_description = None
    cmd_options: ClassVar[tuple[Mapping[str, object], ...]] = ()
    text_options: ClassVar[tuple[str, ...]] = ()

    def execute(self, params: Mapping[str, object], args: Sequence[str]) -> int:
        """An option may stand before the names, where doit reads it, or after them, where it does not."""
        said = [word for name in self.text_options if params[name] for word in (f"--{name}", str(params[name]))]
        code: int = super().execute(params, [*args, *said])
        return code

    def _execute(self, pos_args: Sequence[str]) -> int:
        return self._plainly(lambda: self._answered(list(pos_args)))

    def _plainly(self, act: Callable[[], int]) -> int:
        from loom.build.steps.products import NotKnown

        try:
            return act()
        except NotKnown as absent:
            sys.stderr.write(complaint(f"that is not known until {absent} has run"))
            return ProjectProblem.code
        except ProjectProblem as problem:
            sys.stderr.write(complaint(problem))
            return problem.code
        finally:
            self.dep_manager.close()

    @abstractmethod
    def _answered(self, words: list[str]) -> int:
        """The exit code."""

    def _works(self, names: Sequence[str]) -> list[Work]:
        if not names:
            raise InvalidCommand(f"`{self.name}` needs the name of a task")
        tasks = {task.name: task for task in self.task_list}
        for name in names:
            if name not in tasks:
                raise InvalidCommand(not_found=name)
        chosen = {task.name: task for name in names for task in members(tasks[name], tasks)}
        return [self._work(task) for task in chosen.values()]

    def _work(self, task: Task) -> Work:
        work = work_of(task)
        if work is None:
            raise InvalidCommand(f"`{task.name}` is a command, which has no key")
        return work

    def _due(self, work: Work) -> str:
        """Why doit would run a task, apart from the model's mistakes; empty when it would not."""
        tasks = {task.name: task for task in self.task_list}
        status = self.dep_manager.get_status(tasks[work.name], tasks, get_log=True)
        reasons = [str(row[0]) for row in status.reasons["uptodate_false"]] if status.reasons else []
        return "" if status.status == "up-to-date" else next(iter(reasons), "what it writes is missing")

    def _held_up(self, works: Sequence[Work]) -> str:
        """A line when one of them needs the model and that has mistakes, of which no key tells.

        Stages run for it only where a task seems up to date: the others say themselves that something is to be done.
        """
        tasks = {task.name: task for task in self.task_list}
        held = [work for work in works if tasks[work.name].task_dep]
        if not held or not (self._workspace().is_known_mistaken or self._is_mistaken_all_the_same(held)):
            return ""
        return f"{MISTAKEN}; until it does, nothing that needs it runs\n"

    def _is_mistaken_all_the_same(self, works: Sequence[Work]) -> bool:
        """Whether a task has the key with which it was done here, and the model a mistake somewhere else."""
        last = self._workspace().last
        ran = last.ran if last is not None else {}
        current = (known is not None and work.name in ran and known.key == ran[work.name].key
                   for work in works for known in [work.known()])  # fmt: skip
        return any(current) and self._workspace().is_mistaken()

    def _graph(self) -> Graph:
        """With what doit adds of its own accord: wildcards, and targets that are another's files."""
        control = TaskControl(self.task_list)
        works = {task.name: work for task in self.task_list if (work := work_of(task)) is not None}
        return graph_of(control.tasks.values(), works)

    def _workspace(self) -> Workspace:
        works = (work_of(task) for task in self.task_list)
        found = next((work.workspace for work in works if work is not None), None)
        if found is None:
            raise InvalidCommand("there is no task of Loom here")
        return found


class Answering(Asking):
    """One text answers."""

    def _answered(self, words: list[str]) -> int:
        self.outstream.write(self._answer(words))
        return 0

    @abstractmethod
    def _answer(self, words: list[str]) -> str:
        """What is written."""


class Explain(Answering):
    """Which part of a task's key changed."""

    name = "explain"
    doc_purpose = "say which part of the key of a task changed"
    doc_usage = "TASK ... [--against KEY]"
    cmd_options = (_text("against", "a key of some other time or place"),)
    text_options = ("against",)

    def _answer(self, words: list[str]) -> str:
        # kept by tests/engine/core/test_doit.py::test_nothing_to_do_imports_no_compiler
        from loom.build.commands.explain import explain, explain_against

        names, key = _split(words, "--against")
        works = self._works(names)
        if key:
            return "".join(explain_against(work.workspace, work, key) for work in works) + self._held_up(works)
        return "".join(explain(work.workspace, work, partial(self._due, work)) for work in works) + self._held_up(works)


class Why(Answering):
    """From a task back to what changed first."""

    name = "why"
    doc_purpose = "say what change, in the end, makes a task run"

    def _answer(self, words: list[str]) -> str:
        from loom.build.commands.preimages import Stored
        from loom.build.commands.why import why
        from loom.build.graph.inputs import Inputs

        works = self._works(words)
        workspace = self._workspace()
        inputs = Inputs(workspace, self._graph())
        stored = Stored(workspace.content, workspace.results, workspace.actions.made)
        return "".join(why(inputs, stored, work, partial(self._due, work)) for work in works) + self._held_up(works)


class Query(Answering):
    """The graph of tasks, asked."""

    name = "query"
    doc_purpose = "ask what needs what, and what a change can reach"
    doc_usage = "deps|rdeps TASK ... | path TASK TASK | owners FILE ... | affected --since REV"
    cmd_options = (_text("since", "a commit"),)
    text_options = ("since",)

    def _answer(self, words: list[str]) -> str:
        from loom.build.graph.query import USAGE, Misasked, NoTask, query

        try:
            return query(words, self._graph(), self._workspace())
        except NoTask as unknown:
            raise InvalidCommand(not_found=str(unknown)) from None
        except Misasked:
            raise InvalidCommand(f"`query` takes a question and what it is about\n{USAGE.rstrip()}") from None


class Reproduce(Answering):
    """An action, for doing by hand."""

    name = "reproduce"
    doc_purpose = "write a script that does the action of a task by hand"

    def _answer(self, words: list[str]) -> str:
        from loom.build.commands.past import last_preimage
        from loom.build.commands.preimages import Stored
        from loom.build.housekeeping.reproduce import reproduce
        from loom.build.store.content import BlobLost

        said = []
        for work in self._works(words):
            workspace = work.workspace
            if not isinstance(work, ActionWork):
                raise ProjectProblem(f"{work.name} runs in no sandbox: `loom run -a -s {work.name}` does it again")
            preimage = last_preimage(workspace, work, Stored(workspace.content, workspace.results))
            place = workspace.project.state / "reproduce" / work.name.replace(":", ".")
            try:
                said.append(reproduce(preimage, workspace.content, place))
            except BlobLost:
                raise ProjectProblem(f"the store has lost inputs of {work.name}; run the task once") from None
        return "".join(said)


class Verify(Asking):
    """Everything again in another world."""

    name = "verify"
    doc_purpose = "make tasks again in another world, and compare"
    doc_usage = f"--rebuild [{ON_WORKERS}] [TASK ...]"
    cmd_options = (
        {"name": "rebuild", "long": "rebuild", "type": bool, "default": False, "help": "what there is to verify"},
        ON_WORKERS_OPTION,
    )

    def execute(self, params: Mapping[str, object], args: Sequence[str]) -> int:
        if not params["rebuild"]:
            raise InvalidCommand("`verify` needs `--rebuild`: loom verify --rebuild [TASK ...]")
        names = [word for word in args if word != ON_WORKERS]
        if params["remote_exec"] or names != list(args):
            os.environ[ASKED] = "1"
        code: int = super().execute(params, names)
        return code

    def _answered(self, words: list[str]) -> int:
        from loom.build.rebuild.verify import verify

        graph = self._graph()
        chosen = _chosen(graph, words)
        needed = {needed for name in chosen for needed in (name, *graph.needs(name))}
        return verify(self._workspace(), _works(graph, chosen), _works(graph, needed), self._say)

    def _say(self, text: str) -> None:
        self.outstream.write(text)
        self.outstream.flush()


class Picture(Answering):
    """All tasks as one picture."""

    name = "graph"
    doc_purpose = "draw the tasks, how each stands and how long it took"
    doc_usage = "[TASK ...] [--out FILE]"
    cmd_options = (_text("out", "where the picture goes, - for standard output"),)
    text_options = ("out",)

    def _answer(self, words: list[str]) -> str:
        from loom.build.graph.picture import picture
        from loom.build.graph.state import standings

        names, said = _split(words, "--out")
        if said not in ("", "-") and not said.lower().endswith(".svg"):
            raise InvalidCommand(f"`graph` draws SVG: `{said}` must end in .svg, or be -")
        graph, workspace = self._graph(), self._workspace()
        chosen = _chosen(graph, names)
        wanted = {needed for name in chosen for needed in (name, *graph.needs(name))}
        needs = {name: found for name, found in graph.without_groups().items() if name in wanted}
        drawn = picture(workspace.project.root.name, needs, standings(graph.only(needs), workspace))
        if said == "-":
            return drawn
        place = Path(said) if said else workspace.project.state / "graph.svg"
        try:
            place.write_text(drawn, encoding="utf-8")
        except OSError as error:
            raise Unable(f"{place}: {error.strerror}") from None
        return f"{place}: {len(needs)} tasks\n"


def _chosen(graph: Graph, names: Sequence[str]) -> set[str]:
    """All without a name; a group stands for its members."""
    for name in names:
        if name not in graph.nodes:
            raise InvalidCommand(not_found=name)
    return {member for name in names or graph.nodes for member in graph.members(name)}


def _works(graph: Graph, names: set[str]) -> list[Work]:
    """In the order in which they run."""
    return [node.work for node in graph.nodes.values() if node.name in names and node.work is not None]


def _split(words: list[str], option: str) -> tuple[list[str], str]:
    """doit stops looking for options at the first name."""
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[:at] + words[at + 2 :], words[at + 1]
        if word.startswith(f"{option}="):
            return words[:at] + words[at + 1 :], word.partition("=")[2]
    return words, ""
