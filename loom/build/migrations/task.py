"""The task `migrate`: gives what is pending a name, for good.

In: a workspace and a name. Out: doit's task, whose action writes below `migrations/`.
Never: pydantic or a stage at import, for doit loads every task in every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from doit.exceptions import TaskFailed

from loom.build.project.problem import ProjectProblem
from loom.build.workspace import Workspace

if TYPE_CHECKING:
    from loom.base import Value
    from loom.base.pipeline import Per

V = TypeVar("V", bound="Value")


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
    from loom.build.migrations.record import record_abandoned, record_pending
    from loom.plan.history import Recorded
    from loom.plan.model import ContextPlan

    root = workspace.project.root
    try:
        if not name:
            raise ProjectProblem("`migrate` needs a name: loom migrate record NAME")
        left = (found for _, found in values_of(workspace, "system", Recorded))
        ended = record_abandoned(root, left, name)
        paths = (*ended, *record_pending(root, values_of(workspace, "context", ContextPlan), name))
    except ProjectProblem as problem:
        print(problem)  # noqa: T201 - doit would put the name of an exception before it
        return TaskFailed(str(problem), report=False)
    lines = [f"recorded {path.relative_to(root)}" for path in paths]
    print("\n".join(lines or ["nothing is pending"]))  # noqa: T201 - doit shows what actions print
    return None


def values_of(workspace: Workspace, per: Per, kind: type[V]) -> Iterator[tuple[str, V]]:
    """What the stages of that reach give of a kind, whichever gives it, with the name of its system."""
    products = workspace.products
    stages = [stage.name for stage in products.stages() if stage.per == per]
    for unit in products.units(per):
        steps = [(stage, name) for stage in stages for name in products.step(stage, unit).parts]
        values = (products.value(products.part(stage, unit, name)) for stage, name in steps)
        yield from ((unit.partition("/")[0], value) for value in values if isinstance(value, kind))
