"""All tasks but those of e2e, made from the outline of a project when doit loads.

In: a workspace. Out: doit's task dictionaries. Never: work, or a graph that changes during a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TypeAlias

from loom.build.actionwork import ActionWork
from loom.build.bridge.objects import CachedAction, Uptodate
from loom.build.generate import GenerateWork
from loom.build.migrate import migrate_task
from loom.build.output.content import MANIFEST
from loom.build.stagework import StageWork
from loom.build.work import Work
from loom.build.workspace import Workspace

TaskDict: TypeAlias = "dict[str, object]"

# What each stage is called as a task; `{}` stands for the unit, without it one task does all units.
STAGE_TASKS = {
    "parse": "parse:{}",
    "lower": "lower",
    "validate": "validate",
    "plan": "plan",
    "emit": "emit:{}",
    "render": "render:compose",
}
WRITTEN = ("emit", "render")
_DOCS = {
    "parse": "read the model",
    "lower": "resolve every name and type",
    "validate": "check what the model means",
    "plan": "decide what all services must agree on",
    "emit": "make the project of each deployable",
    "render": "make the deployment files",
}


def engine_tasks(workspace: Workspace) -> Iterator[TaskDict]:
    """The tasks in the order in which doit runs them."""
    before: list[str] = []
    written: list[str] = []
    for stage, per in workspace.outline.stages:
        if stage not in STAGE_TASKS:
            continue
        names = list(_stage_names(workspace, stage, per))
        for name, unit in names:
            yield task_dict(StageWork(workspace, name, stage, unit), _DOCS[stage], before)
        if stage in WRITTEN:
            written += [name for name, _ in names]
        else:
            before = [name for name, _ in names]
    yield _generate(workspace, written or before)
    yield migrate_task(workspace, before)
    yield from _gates(workspace)


def _stage_names(workspace: Workspace, stage: str, per: str) -> Iterator[tuple[str, str | None]]:
    pattern = STAGE_TASKS[stage]
    outline = workspace.outline
    units = {"file": outline.files, "deployable": tuple(row[0] for row in outline.deployables)}
    if "{}" in pattern:
        yield from ((pattern.format(unit), unit) for unit in units[per])
    else:
        yield pattern, None


def _gates(workspace: Workspace) -> Iterator[TaskDict]:
    """`gate:<backend>` is a group of its own below `gate`."""
    for backend, takes_deps in workspace.outline.gates:
        deps = [f"deps:{backend}"] if takes_deps else []
        for name in deps:
            yield task_dict(ActionWork(workspace, name, f"deps/{backend}"), f"fetch what {backend} services need", [])
        slugs = [slug for slug, on, _ in workspace.outline.deployables if on == backend]
        names = [f"gate:{backend}:{slug}" for slug in slugs]
        doc = f"build and check every {backend} service"
        yield {"basename": "gate", "name": backend, "doc": doc, "actions": None, "task_dep": names}
        for slug, name in zip(slugs, names, strict=True):
            work = ActionWork(workspace, name, f"gate/{backend}", slug)
            yield task_dict(work, f"build and check {slug}", [f"emit:{slug}", *deps])


def _generate(workspace: Workspace, before: list[str]) -> TaskDict:
    stages = [stage for stage, _ in workspace.outline.stages if stage in WRITTEN]
    work = GenerateWork(workspace, "generate", tuple((stage, STAGE_TASKS[stage]) for stage in stages))
    return {
        **task_dict(work, "write the output folders", before),
        "params": [_flag(*said) for said in _GENERATE_OPTIONS],
        "clean": [(clean_generated, [work])],
        "targets": [os.path.relpath(workspace.project.root / out / MANIFEST) for _, out in workspace.outline.systems],
    }


_GENERATE_OPTIONS = (
    ("overwrite", "lose edits in the output folders"),
    ("locked", "refuse a migration that is not recorded"),
    ("allow-destructive", "let migrations drop what holds data"),
)


def _flag(name: str, help_: str) -> dict[str, object]:
    return {"name": name.replace("-", "_"), "long": name, "type": bool, "default": False, "help": help_}


def clean_generated(work: GenerateWork, dryrun: bool) -> None:
    """doit hands over `dryrun`; what is removed or kept is printed."""
    print(work.clean(dryrun=dryrun), end="")  # noqa: T201 - doit collects what clean actions print


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
