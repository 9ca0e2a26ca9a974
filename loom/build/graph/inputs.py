"""Which files a task is made from, by itself and through whatever it needs.

In: a workspace, its graph. Out: sets of paths. Never: a key; what is named here is what keys are made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from loom.build.data import PACKAGE
from loom.build.graph.reads import Reading, StepName
from loom.build.graph.tasks import Graph, Node
from loom.build.work.actions import ActionWork
from loom.build.work.stages import StageWork

if TYPE_CHECKING:
    from loom.build.workspace import Workspace


class Inputs:
    """Settings count as read by every task of Loom: any of them may decide what there is to do."""

    def __init__(self, workspace: Workspace, graph: Graph) -> None:
        self.workspace = workspace
        self.graph = graph
        self._below_step: dict[StepName, frozenset[Path]] = {}
        self._below_task: dict[str, frozenset[Path]] = {}

    @cached_property
    def reading(self) -> Reading:
        return Reading(self.workspace)

    @cached_property
    def owners(self) -> dict[StepName, str]:
        """The task that each step belongs to; steps of no task are made when another asks for them."""
        works = [node.work for node in self.graph.nodes.values() if isinstance(node.work, StageWork)]
        return {step: work.name for work in works for step in work.units()}

    def own(self, name: str) -> frozenset[Path]:
        """What a task itself reads, and not through another."""
        node = self.graph.nodes[name]
        return frozenset(Path(path).resolve() for path in (*self._settings(node), *self._own(node)))

    def below(self, name: str) -> frozenset[Path]:
        """The same and all that is read by what its key depends on."""
        if name not in self._below_task:
            node = self.graph.nodes[name]
            files = self._steps_below(node.work) if isinstance(node.work, StageWork) else self._needs_below(node)
            self._below_task[name] = self.own(name) | {path.resolve() for path in files}
        return self._below_task[name]

    def _settings(self, node: Node) -> Iterator[Path]:
        if node.work is not None:
            yield self.workspace.project.root / "loom.yaml"

    def _own(self, node: Node) -> Iterator[Path]:
        match node.work:
            case StageWork() as work:
                for step in self.own_steps(work):
                    yield from self.reading.of(step).files
                    yield from self.reading.code(step[0])
            case ActionWork() as work:
                yield from action_files(work)
            case _:
                yield from map(Path, node.files)

    def own_steps(self, work: StageWork) -> list[StepName]:
        """Those of the task, and those that nobody but such a step asks for."""
        found: dict[StepName, None] = {}
        waiting: list[StepName] = list(work.units())
        while waiting:
            step = waiting.pop()
            if step not in found and self.owners.get(step, work.name) == work.name:
                found[step] = None
                waiting += self.reading.of(step).steps
        return list(found)

    def _steps_below(self, work: StageWork) -> frozenset[Path]:
        return frozenset().union(*map(self._step_below, work.units()))

    def _step_below(self, step: StepName) -> frozenset[Path]:
        if step not in self._below_step:
            reads = self.reading.of(step)
            self._below_step[step] = reads.files.union(self.reading.code(step[0]), *map(self._step_below, reads.steps))
        return self._below_step[step]

    def _needs_below(self, node: Node) -> frozenset[Path]:
        return frozenset().union(*map(self.below, node.needs))


def action_files(work: ActionWork) -> Iterator[Path]:
    """Rule, toolchain, lock, and what of Loom itself an action takes in."""
    from loom.build.deps.locks import deps_folder
    from loom.build.rules.load import rule
    from loom.build.toolchain.toolchain import toolchain

    project = work.workspace.project
    found = rule(work.rule, project.root)
    prefer = project.provider(found.file.toolchain)
    chain = toolchain(found.file.toolchain, project.root, prefer, committed=project.locked)
    yield from (found.path, chain.folder / "toolchain.yaml", chain.folder / "lock.yaml")
    for source in found.file.inputs.values():
        if source.startswith("lock/"):
            yield from deps_folder(source.removeprefix("lock/"), project.root).iterdir()
        elif source in work.workspace.provided and not work.workspace.provided[source].stage:
            places = (PACKAGE.parent / file.path for file in work.workspace.provided[source].files(work.slug))
            yield from (place for place in places if place.is_file())
