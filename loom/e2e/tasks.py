"""The tasks of the end-to-end tests: one a deployable that has any, and `e2e` for all of them.

In: a workspace. Out: doit's task dictionaries. Never: a service booted outside the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loom.build.actions.provided import Provided
from loom.build.data import PACKAGE, data_folders
from loom.build.tasks import GROUPS, TaskDict, deps_task, task_dict
from loom.build.work.actions import ActionWork
from loom.build.workspace import Workspace

# The driver's package, and those that Python needs to find it.
_DRIVER = ("__init__.py", "e2e/__init__.py", "e2e/driver/__init__.py", "e2e/driver/__main__.py", "e2e/driver/script.py")


class TextFile(NamedTuple):
    path: str
    text: str
    executable: bool = False


def e2e_tasks(workspace: Workspace) -> Iterator[TaskDict]:
    """`e2e:<deployable>` for every deployable whose backend has a rule for it, and their group."""
    workspace.provided["e2e/driver"] = Provided(lambda slug: driver())
    workspace.provided["e2e/script"] = Provided(lambda slug: script(workspace, slug), "scenarios")
    yield {"basename": "e2e", "name": None, "doc": "boot every service and run its end-to-end tests"}
    proved = [(slug, backend) for slug, backend, _ in workspace.outline.deployables if has_rule(workspace, backend)]
    fetched = {backend for backend, takes_deps in workspace.outline.gates if takes_deps}
    lacking = sorted({backend for _, backend in proved} - fetched)
    if lacking and not fetched:
        yield {"basename": "deps", "name": None, "doc": GROUPS["deps"]}
    yield from (deps_task(workspace, backend) for backend in lacking)
    for slug, backend in proved:
        before = [f"gate:{backend}:{slug}", f"deps:{backend}"]
        work = ActionWork(workspace, f"e2e:{slug}", f"e2e/{backend}", slug, _failure)
        yield task_dict(work, f"prove {slug}", before)


def _failure(workspace: Workspace, slug: str, stderr: bytes) -> str:
    from loom.e2e.failures import told

    return told(workspace, slug, stderr)


def has_rule(workspace: Workspace, backend: str) -> bool:
    folders = data_folders("rules", workspace.project.root)
    return any((folder / "e2e" / f"{backend}.yaml").exists() for folder in folders)


def driver() -> tuple[TextFile, ...]:
    return tuple(TextFile(f"loom/{name}", (PACKAGE / name).read_text(encoding="utf-8")) for name in _DRIVER)


def script(workspace: Workspace, slug: str) -> tuple[TextFile, ...]:
    from loom.plan.model import ServiceScenarios

    products = workspace.products
    planned = products.value(products.part("scenarios", slug))
    if not isinstance(planned, ServiceScenarios):
        raise TypeError(f"no script for {slug}")
    return (TextFile("script.json", planned.script),)
