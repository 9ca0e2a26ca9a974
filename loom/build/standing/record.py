"""Keeps the answer of a run of `generate`, so that it can be said again as long as it stands.

In: a workspace, all tasks of the run. Out: a file in the project's state. Never: an answer of which any part may have
changed while the run went on; a secret.
"""

from __future__ import annotations

import ast
import marshal
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from loom.build.housekeeping.ending import WORDS, end_fields, summary
from loom.build.housekeeping.journal import TaskEvent, end_line, task_line
from loom.build.housekeeping.times import seconds
from loom.build.output.appearance import looks
from loom.build.project.load import load_project
from loom.build.project.problem import ProjectProblem
from loom.build.project.settings import Project
from loom.build.remote.settings import SECRETS
from loom.build.stamps import NEVER, Stamp, settled
from loom.build.standing.answer import DODO, FORMAT, PLACE, READ, circumstances, content, dumped
from loom.build.store.atomic import write_disposable
from loom.build.work.generate import GENERATE, output_folder
from loom.build.work.work import Work
from loom.build.workspace import Workspace

_FROM_LOOM = frozenset({"DOIT_CONFIG", "task_loom"})


class _Said(NamedTuple):
    """Of one task: its key, and the warnings that are told every time."""

    name: str
    key: str
    warnings: str


def record(workspace: Workspace, works: Iterable[Work]) -> None:
    """Keeps the answer of a run that has done all of these, once doit has written its database."""
    project = workspace.project
    said = [_Said(work.name, known.key, work.replay() if known.warnings else "")
            for work in works if (known := work.known()) is not None]  # fmt: skip
    try:
        read = _read(project)
        written = _written(project, next((each.key for each in said if each.name == GENERATE), ""))
        if load_project(project.root) != project or _read(project) != read:
            return
    except (OSError, ProjectProblem):  # it changed meanwhile
        return
    watched = settled(workspace.watched())
    stamps = {path: known for path, known in watched.items() if known is not None}
    if not written or NEVER in written.values() or NEVER in stamps.values():
        return
    around = circumstances(str(project.root), SECRETS)
    absent = tuple(watched.keys() - stamps.keys())
    answer = (_plain_dodo(project.root), _lines(said), _summary(said), _log(said))
    data = (FORMAT, SECRETS, around, read, _looks(stamps), absent, _looks(written), answer)
    write_disposable(str(project.root / PLACE), marshal.dumps(data))


def _read(project: Project) -> tuple[bytes | None, ...]:
    return tuple(content(str(project.root / name)) for name in READ)


def _written(project: Project, key: str) -> dict[str, Stamp]:
    """Of all output folders, each path as seen from the project; empty where one may hold another content."""
    found = [(system.out, looks(output_folder(project, system), key)) for system in project.systems]
    if not all(seen for _, seen in found):
        return {}
    return {f"{out}/{path}": stamp for out, seen in found for path, stamp in seen.items()}


def _looks(stamps: Mapping[str, Stamp]) -> tuple[bytes, bytes]:
    return os.fsencode("\0".join(stamps)), dumped(stamp for stamp in stamps.values() if stamp is not None)


def _lines(said: Iterable[_Said]) -> tuple[tuple[str, str], ...]:
    """What is printed, cut where warnings may have to be painted."""
    cut: list[tuple[str, str]] = []
    lines = ""
    for each in said:
        lines += f"-- {each.name}\n"
        if each.warnings:
            cut.append((lines, each.warnings))
            lines = ""
    return (*cut, (lines, ""))


def _summary(said: list[_Said]) -> tuple[str, str]:
    before, _, after = summary({"kept": len(said)}, 0, 0, (0, 0)).rpartition(seconds(0))
    return before, after


def _log(said: list[_Said]) -> tuple[str, str]:
    tasks = "".join(task_line(TaskEvent(each.name, "kept", key=each.key)) for each in said)
    counts = dict.fromkeys((how for how, _ in WORDS), 0) | {"kept": len(said)}
    end = end_line(end_fields(counts, 0, 0, (0, 0), interrupted=False))
    before, named, after = end.rpartition('"milliseconds": ')
    return tasks + before + named, after.removeprefix("0")


def _plain_dodo(root: Path) -> bytes | None:
    """The dodo.py if it brings in Loom's tasks and does nothing else, so that it need not run to be known."""
    text = content(str(root / DODO))
    try:
        return text if text is not None and _is_plain(ast.parse(text)) else None
    except (SyntaxError, ValueError):
        return None


def _is_plain(dodo: ast.Module) -> bool:
    """kept by tests/engine/project/test_standing_answer.py::test_a_dodo_with_words_of_its_own_is_asked"""
    names: set[str] = set()
    for node in dodo.body:
        match node:
            case ast.ImportFrom(module="loom.tasks", level=0):
                names |= {alias.name for alias in node.names if alias.asname is None}
            case ast.ImportFrom(module="__future__") | ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=[*elements])) if all(
                isinstance(element, ast.Constant) for element in elements
            ):
                continue
            case _:
                return False
    return names == _FROM_LOOM
