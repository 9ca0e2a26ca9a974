"""All tasks but those of e2e, made from the outline of a project when doit loads.

In: a workspace. Out: doit's task dictionaries. Never: work, or a graph that changes during a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from loom.build.bridge.objects import CachedAction, Uptodate
from loom.build.migrations.task import migrate_task
from loom.build.output.content import MANIFEST
from loom.build.work.actions import ActionWork
from loom.build.work.generate import GENERATE, GenerateWork
from loom.build.work.stages import StageWork
from loom.build.work.work import Work
from loom.build.workspace import Workspace

TaskDict: TypeAlias = "dict[str, object]"


class StageTask(NamedTuple):
    """`name` holds `{}` where there is one task for each unit of the stages; without it one task does all units."""

    name: str
    stages: tuple[str, ...]
    doc: str
    writes: bool = False


STAGE_TASKS = (
    StageTask("parse:{}", ("parse", "imports"), "read a file of the model"),
    StageTask("lower", ("shared", "system", "lower"), "resolve every name and type"),
    StageTask(
        "validate",
        (
            *("root", "validate", "features", "root features", "system features", "deployment", "wiring"),
            *("histories", "context", "service"),
        ),
        "check what the model means",
    ),
    StageTask("plan", ("plan", "whole"), "decide what all services must agree on"),
    StageTask("emit:{}", ("emit",), "make the project of a deployable", writes=True),
    StageTask("render:compose", ("render",), "make the deployment files", writes=True),
)


# A group that has nothing in it is not there.
GROUPS = {
    "parse": "read the files of the model",
    "emit": "make the projects of all deployables",
    "render": "make the deployment files",
    "deps": "fetch what the services of every backend need",
    "gate": "build and check every service",
}


def engine_tasks(workspace: Workspace) -> Iterator[TaskDict]:
    """The tasks in the order in which doit runs them, each group said before its first."""
    said: set[object] = set()
    for task in _engine_tasks(workspace):
        base = task["basename"]
        if "name" in task and base not in said:
            said.add(base)
            yield {"basename": base, "name": None, "doc": GROUPS[str(base)]}
        yield task


def _engine_tasks(workspace: Workspace) -> Iterator[TaskDict]:
    per = dict(workspace.outline.stages)
    before: list[str] = []
    written: list[str] = []
    for task in STAGE_TASKS:
        stages = tuple(stage for stage in task.stages if stage in per)
        names = [(task.name.format(unit), unit) for unit in units_of(workspace, task, per)] if stages else []
        for name, unit in names:
            yield task_dict(StageWork(workspace, name, stages, unit), task.doc, before)
        if task.writes:
            written += [name for name, _ in names]
        elif names:
            before = [name for name, _ in names]
    yield _generate(workspace, written or before)
    yield migrate_task(workspace, before)
    yield from _gates(workspace)


def units_of(workspace: Workspace, task: StageTask, per: dict[str, str]) -> tuple[str | None, ...]:
    """What there is one task for, each; one None where a single task does all."""
    if "{}" not in task.name:
        return (None,)
    outline = workspace.outline
    return outline.files if per[task.stages[0]] == "file" else tuple(slug for slug, _, _ in outline.deployables)


def _gates(workspace: Workspace) -> Iterator[TaskDict]:
    """`gate:<backend>` is a group of its own below `gate`."""
    for backend, takes_deps in workspace.outline.gates:
        deps = [f"deps:{backend}"] if takes_deps else []
        if takes_deps:
            yield deps_task(workspace, backend)
        slugs = [slug for slug, on, _ in workspace.outline.deployables if on == backend]
        names = [f"gate:{backend}:{slug}" for slug in slugs]
        doc = f"build and check every {backend} service"
        yield {"basename": "gate", "name": backend, "doc": doc, "actions": None, "task_dep": names}
        for slug, name in zip(slugs, names, strict=True):
            work = ActionWork(workspace, name, f"gate/{backend}", slug)
            yield task_dict(work, f"build and check {slug}", [f"emit:{slug}", *deps])


def deps_task(workspace: Workspace, backend: str) -> TaskDict:
    name = f"deps:{backend}"
    return task_dict(ActionWork(workspace, name, f"deps/{backend}"), f"fetch what {backend} services need", [])


def _generate(workspace: Workspace, before: list[str]) -> TaskDict:
    stages = dict(workspace.outline.stages)
    tasks = tuple((task.stages[0], task.name) for task in STAGE_TASKS if task.writes and task.stages[0] in stages)
    work = GenerateWork(workspace, GENERATE, tasks)
    return {
        **task_dict(work, "write the output folders", before),
        "params": [_flag(*said) for said in _GENERATE_OPTIONS],
        "targets": [os.path.relpath(workspace.project.root / out / MANIFEST) for _, out in workspace.outline.systems],
    }


_GENERATE_OPTIONS = (
    ("overwrite", "lose edits in the output folders"),
    ("locked", "refuse a migration that is not recorded, and locks that are not committed"),
    ("allow-destructive", "let migrations drop what holds data"),
)


def _flag(name: str, help_: str) -> dict[str, object]:
    return {"name": name.replace("-", "_"), "long": name, "type": bool, "default": False, "help": help_}


def task_dict(work: Work, doc: str, before: list[str]) -> TaskDict:
    """One task of ours as doit wants it; a `:` in its name makes it part of a group."""
    base, colon, name = work.name.partition(":")
    return {
        "basename": base,
        **({"name": name} if colon else {}),
        "doc": doc,
        "task_dep": list(before),
        "uptodate": [Uptodate(work)],
        "actions": [CachedAction(work)],
        "verbosity": 1,
    }
