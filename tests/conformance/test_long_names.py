"""Services whose names are as long as they may be pass their gate as they are emitted, formatting included."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from loom.backends.node import runtime as node
from loom.backends.python import runtime as python
from loom.emit.backend import DepsLock, backend, emit
from loom.emit.project import static_files
from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned
from tests.kit.services import CONFORMANCE, RUN

ALMANAC = CONFORMANCE / "almanac"
LOCK = DepsLock(files=(("package.json", '{"engines": {}, "dependencies": {}, "devDependencies": {}}'),))
WAIVERS = ("biome-ignore", "@ts-ignore", "@ts-expect-error", "type: ignore", "noqa", "pyright:")


def emitted() -> dict[str, str]:
    model = lowered({"main.ddd": (ALMANAC / "main.ddd").read_bytes()})
    plans = planned(model)
    assert not plans.diagnostics, [problem.text() for problem in plans.diagnostics]
    deployable = next(item for item in model.system.deployables if item.platform == "node")
    target = backend("node")
    plan = plan_service(model.system.name, deployable, target.facts, list(plans.contexts), model.shared)
    lock = LOCK.model_copy(update={"files": (*LOCK.files, ("package-lock.json", '{"packages": {"": {}}}'))})
    return {file.path: file.text for file in emit(target, plan, lock).files}


def test_a_node_service_of_long_names_passes_its_gate() -> None:
    command = [sys.executable, "-c", RUN, "gate:node"]
    done = subprocess.run(command, cwd=ALMANAC, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_does_so_without_a_waiver() -> None:
    sources = {path: text for path, text in emitted().items() if path.endswith(".ts")}
    assert sum(len(line) > 100 for text in sources.values() for line in text.splitlines()) > 10
    assert not [path for path, text in sources.items() if any(waiver in text for waiver in WAIVERS)]


@pytest.mark.parametrize("folder", [node.STATIC, python.STATIC], ids=["node", "python"])
def test_nor_has_the_part_that_no_model_changes_one(folder: Path) -> None:
    runtime = static_files(folder)
    assert [path for path in runtime if path.startswith(("src/main", "app/__main__"))]
    assert not [path for path, text in runtime.items() if any(waiver in text for waiver in WAIVERS)]
