"""The task `migrate`: gives what is pending a name, for good.

In: a workspace and a name. Out: doit's task, whose action writes below `migrations/`.
Never: pydantic or a stage at import, for doit loads every task in every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from doit.exceptions import TaskFailed

from loom.build.project.problem import ProjectProblem
from loom.build.workspace import Workspace

if TYPE_CHECKING:
    from loom.plan.model import ContextPlan


def migrate_task(workspace: Workspace, before: list[str]) -> dict[str, object]:
    """Never up to date: it is a command, and does nothing when nothing is pending."""
    name = {"name": "name", "long": "name", "type": str, "default": "", "help": "what the new files are called"}
    return {
        "basename": "migrate",
        "doc": "record the pending migrations under a name",
        "task_dep": list(before),
        "params": [name],
        "actions": [(record_all, [workspace])],
        "uptodate": [False],
        "verbosity": 2,
    }


def record_all(workspace: Workspace, name: str) -> TaskFailed | None:
    """doit's action; the new files are printed."""
    from loom.build.migrations.record import record_pending

    try:
        paths = record_pending(workspace.project.root, planned_contexts(workspace), name)
    except ProjectProblem as problem:
        return TaskFailed(str(problem))
    lines = [f"recorded {path.relative_to(workspace.project.root)}" for path in paths]
    print("\n".join(lines or ["nothing is pending"]))  # noqa: T201 - doit shows what actions print
    return None


def planned_contexts(workspace: Workspace) -> Iterator[tuple[str, ContextPlan]]:
    """The plan of every context, from whichever stage gives it, with the name of its system."""
    from loom.plan.model import ContextPlan

    products = workspace.products
    stages = [stage.name for stage in products.stages() if stage.per == "context"]
    for unit in products.units("context"):
        steps = [(stage, name) for stage in stages for name in products.step(stage, unit).parts]
        values = (products.value(products.part(stage, unit, name)) for stage, name in steps)
        yield from ((unit.partition("/")[0], value) for value in values if isinstance(value, ContextPlan))
