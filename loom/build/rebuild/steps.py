"""Pure steps made again by another process: elsewhere, at another time, with another hash seed, on one processor.

In: a workspace, steps. Out: what is different. Never: the workspace's own store.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from loom.build.graph.reads import StepName
from loom.build.project.problem import ProjectProblem
from loom.build.rebuild.child import Different, content, file_of, told
from loom.build.rebuild.otherwise import VARIABLES

if TYPE_CHECKING:
    from loom.build.workspace import Workspace

FIRST, AGAIN = "first", "again"


def rebuilt_steps(
    workspace: Workspace, steps: list[StepName], clock: Mapping[str, str], scratch: Path, folder: Path
) -> list[Different]:
    """The values that differ lie below `folder`, side by side."""
    products = workspace.products
    compiler = workspace.pipeline
    assert isinstance(compiler, ModuleType)  # another process has to find it by its name
    asked = {"compiler": compiler.__name__, "folder": str(scratch), "steps": told(products, steps)}
    done = subprocess.run(
        [sys.executable, "-m", "loom.build.rebuild.child"], cwd=_elsewhere(workspace.project.root, scratch),
        input=json.dumps(asked), capture_output=True, text=True, check=False, umask=0o077,
        env=_environment(scratch, clock),
    )  # fmt: skip
    if done.returncode:
        raise ProjectProblem(f"the steps cannot be made again:\n{done.stderr.rstrip()}")
    found = [Different(*item) for item in json.loads(done.stdout)]
    for item in found:
        for name, data in ((FIRST, content(products, item)), (AGAIN, (scratch / file_of(item)).read_bytes())):
            place = folder / name / file_of(item)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    return found


def _elsewhere(root: Path, scratch: Path) -> Path:
    """The same project at another path; its state and its output are not part of it."""
    place = scratch / "wo änders" / "project"
    place.mkdir(parents=True)
    for child in root.iterdir():
        if child.name != ".loom":
            (place / child.name).symlink_to(child)
    return place


def _environment(scratch: Path, clock: Mapping[str, str]) -> dict[str, str]:
    """Settings of the project hold, as they enter keys; nothing is fetched from others, or given to them."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("LOOM_")}
    for name in [name for name in kept if name.startswith(("LOOM_REMOTE_", "LOOM_CACHE", "LOOM_STORE"))]:
        del kept[name]
    packages = os.pathsep.join(path for path in sys.path if path)
    own = {"LOOM_STORE": str(scratch / "store"), "LOOM_REMOTE_POLICY": "off", "PYTHONPATH": packages}
    return {**kept, **VARIABLES, **clock, **own, "PATH": os.environ.get("PATH", ""), "HOME": str(scratch)}
