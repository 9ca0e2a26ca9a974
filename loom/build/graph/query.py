"""`loom query`: the graph of tasks, asked.

In: words, the graph of a project. Out: names of tasks, in the order in which they would run. Never: a run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from loom.build.graph.before import Before
from loom.build.graph.inputs import Inputs
from loom.build.graph.tasks import Graph, Node
from loom.build.project.problem import NothingBegun, ProjectProblem, Unable
from loom.build.work.actions import ActionWork
from loom.build.work.stages import StageWork
from loom.build.workspace import Workspace

USAGE = """\
usage: loom query deps TASK ...         what has to be done before it
       loom query rdeps TASK ...        what needs it
       loom query path TASK NEEDED      one shortest way from a task to something that it needs
       loom query owners FILE ...       the tasks that read a file themselves
       loom query affected --since REV  the tasks whose key may change by what differs from a commit
"""


class NoTask(Exception):
    """There is no task of that name."""


class Misasked(Exception):
    """The words ask nothing."""


def query(words: Sequence[str], graph: Graph, workspace: Workspace) -> str:
    """One task a line. NoTask, Misasked, or ProjectProblem when git or a file stands in the way."""
    match list(words):
        case ["deps", first, *rest]:
            return _listed(graph, _each([first, *rest], graph, graph.needs))
        case ["rdeps", first, *rest]:
            return _listed(graph, _each([first, *rest], graph, graph.needed_by))
        case ["path", start, end]:
            return "".join(f"{name}\n" for name in _path(graph, start, end))
        case ["owners", first, *rest]:
            return _listed(graph, _owners(Inputs(workspace, graph), graph, [first, *rest]))
        case ["affected", "--since", revision] if not revision.startswith("-"):
            return _listed(graph, _affected(Inputs(workspace, graph), graph, revision))
        case ["affected", word] if word.startswith("--since=") and not word.startswith("--since=-"):
            return _listed(graph, _affected(Inputs(workspace, graph), graph, word.removeprefix("--since=")))
        case _:
            raise Misasked


def _listed(graph: Graph, names: Iterable[str]) -> str:
    found = set(names)
    return "".join(f"{node.name}\n" for node in graph.nodes.values() if node.name in found and not node.is_group)


def _each(names: Sequence[str], graph: Graph, ask: Callable[[str], Iterable[str]]) -> set[str]:
    for name in names:
        _known(graph, name)
    return {found for name in names for found in ask(name)}


def _known(graph: Graph, name: str) -> None:
    if name not in graph.nodes:
        raise NoTask(name)


def _path(graph: Graph, start: str, end: str) -> tuple[str, ...]:
    _known(graph, start)
    _known(graph, end)
    way = graph.path(start, end)
    if not way:
        other = " (the other way round there is one)" if graph.path(end, start) else ""
        raise ProjectProblem(f"{start} does not need {end}{other}")
    return way


def _owners(inputs: Inputs, graph: Graph, names: Sequence[str]) -> Iterable[str]:
    paths = [_file(inputs.workspace.project.root, name) for name in names]
    return [name for name in graph.nodes if any(reads(inputs.own(name), path) for path in paths)]


def _file(root: Path, name: str) -> Path:
    """Below the project, else below the folder in which the command was typed."""
    for above in (root, Path(os.environ.get("PWD", "."))):
        if (above / name).exists():
            return (above / name).resolve()
    raise NothingBegun(f"there is no file {name}")


def _affected(inputs: Inputs, graph: Graph, revision: str) -> Iterable[str]:
    """By the files that differ; where those are the model's alone, by the keys that it gave then and gives now."""
    root = inputs.workspace.project.root.resolve()
    changed = changed_files(root, revision)
    model = {root / file for file in inputs.workspace.products.files}
    before = Before(inputs.workspace, {path.relative_to(root).as_posix(): _at(root, revision, path)
                                       for path in changed if path in model})  # fmt: skip
    found: set[str] = set()
    for name, node in graph.nodes.items():
        reached = [path for path in changed if reads(inputs.below(name), path)]
        if reached and (not model.issuperset(reached) or _differs(node, before, found)):
            found.add(name)
    return found


def _differs(node: Node, before: Before, found: set[str]) -> bool:
    """`found` has those of the tasks before it."""
    match node.work:
        case StageWork() as work:
            return before.differs(work)
        case ActionWork(rule=rule, slug=slug) if slug:
            script = [("scenarios", slug)] if rule.startswith("e2e/") else []
            return not found.isdisjoint(node.needs) or before.step_differs(script)
        case _:
            return True


def _at(root: Path, revision: str, path: Path) -> bytes | None:
    """A file as it was; None when it was not there."""
    done = subprocess.run(["git", "-C", str(root), "show", f"{revision}:./{path.relative_to(root).as_posix()}"],
                          capture_output=True, check=False)  # fmt: skip
    return done.stdout if done.returncode == 0 else None


def reads(files: frozenset[Path], path: Path) -> bool:
    """A folder that is read as a whole stands for all that may come to lie in it."""
    return path in files or any(above in files for above in path.parents)


def changed_files(root: Path, revision: str) -> list[Path]:
    """What differs between a commit and the files as they are, new ones included."""
    top = Path(_git(root, "rev-parse", "--show-toplevel").strip()).resolve()
    commit = _git(
        root, "rev-parse", "--verify", f"{revision}^{{commit}}", wrong=f"there is no commit `{revision}`"
    ).strip()
    names = _git(top, "diff", "--name-only", "--no-renames", "-z", commit, "--")
    names += _git(top, "ls-files", "--others", "--exclude-standard", "-z")
    return [top / name for name in names.split("\0") if name]


def _git(folder: Path, *words: str, wrong: str = "") -> str:
    """What git answers; `wrong` is what it means when it refuses."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Unable("`affected` needs git: apt-get install git") from None
    if done.returncode:
        raise NothingBegun(wrong or f"git: {done.stderr.strip().partition(chr(10))[0].removeprefix('fatal: ')}")
    return done.stdout
