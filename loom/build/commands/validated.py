"""What `loom validate` says besides the diagnostics themselves.

In: a workspace in which the model was validated. Out: how many errors and warnings there are.
Never: the compiler, when the last run knew.
"""

from __future__ import annotations

from loom.build.tasks import STAGE_TASKS, units_of
from loom.build.work.stages import StageWork
from loom.build.workspace import Workspace

LAST = "validate"


def shown_warnings(workspace: Workspace) -> int:
    """How many warnings a sound model's tasks have shown, up to its validation."""
    per = dict(workspace.outline.stages)
    total = 0
    for task in STAGE_TASKS:
        stages = tuple(stage for stage in task.stages if stage in per)
        for unit in units_of(workspace, task, per) if stages else ():
            known = StageWork(workspace, task.name.format(unit), stages, unit).known()
            total += known.warnings if known else 0
        if task.name == LAST:
            break
    return total
