"""The tasks of a project and what each needs, whoever wrote them.

In: doit's tasks. Out: a graph of names. Never: a run, or a look at a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from loom.build.work.work import Work


class TaskLike(Protocol):
    """As much of doit's task as is needed here."""

    name: str
    task_dep: list[str]
    file_dep: set[str]
    actions: list[object]


class Node(NamedTuple):
    """`work` is None for a group, and for a task that is not Loom's; `files` are what doit itself was told of."""

    name: str
    needs: tuple[str, ...]
    work: Work | None
    files: tuple[str, ...] = ()
    is_group: bool = False


class Graph(NamedTuple):
    """Tasks by name, in the order in which doit loads them."""

    nodes: Mapping[str, Node]

    def needs(self, name: str) -> dict[str, None]:
        """Everything that has to be done before `name`, nearest first."""
        return _reached(name, {node.name: node.needs for node in self.nodes.values()})

    def needed_by(self, name: str) -> dict[str, None]:
        """Everything that needs `name`, nearest first."""
        return _reached(name, self.users())

    def only(self, names: Iterable[str]) -> Graph:
        return Graph({name: self.nodes[name] for name in names})

    def without_groups(self) -> dict[str, tuple[str, ...]]:
        """What each task needs, where a group stands for its members."""
        return {
            node.name: tuple(dict.fromkeys(member for need in node.needs for member in self.members(need)))
            for node in self.nodes.values()
            if not node.is_group
        }

    def members(self, name: str) -> tuple[str, ...]:
        """A group's tasks, through groups in it; a task by itself."""
        node = self.nodes[name]
        return tuple(member for part in node.needs for member in self.members(part)) if node.is_group else (name,)

    def users(self) -> dict[str, tuple[str, ...]]:
        """Whatever needs each task directly."""
        found: dict[str, list[str]] = {name: [] for name in self.nodes}
        for node in self.nodes.values():
            for name in node.needs:
                found[name].append(node.name)
        return {name: tuple(names) for name, names in found.items()}

    def path(self, start: str, end: str) -> tuple[str, ...]:
        """One shortest way from `start` to something that it needs; empty when there is none."""
        before: dict[str, str] = {start: ""}
        waiting = [start]
        while waiting:
            name = waiting.pop(0)
            for needed in self.nodes[name].needs:
                if needed not in before:
                    before[needed] = name
                    waiting.append(needed)
        way = [end] if end in before else []
        while way and before[way[-1]]:
            way.append(before[way[-1]])
        return tuple(reversed(way))


def graph_of(tasks: Iterable[TaskLike], works: Mapping[str, Work]) -> Graph:
    """`works` are those of the tasks that are Loom's."""
    nodes = [
        Node(
            name=task.name,
            needs=tuple(dict.fromkeys(task.task_dep)),
            work=works.get(task.name),
            files=tuple(sorted(task.file_dep)),
            is_group=not task.actions,
        )
        for task in tasks
    ]
    return Graph({node.name: node for node in nodes})


def _reached(start: str, edges: Mapping[str, tuple[str, ...]]) -> dict[str, None]:
    found: dict[str, None] = {}
    waiting = list(edges[start])
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = None
            waiting += edges[name]
    return found
