"""Every function that a stage calls and every file that it opens is in the manifest that its key is made from."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]

# Watches each stage at work on a project, and says what it used of Loom and of foreign packages.
WATCH = """
import json, sys, sysconfig
from collections import defaultdict
from pathlib import Path
from loom.build.data import PACKAGE
from loom.build.project import load_project
from loom.build.steps.step import StepRunner
from loom.build.workspace import Workspace

used, stage_of, execute = defaultdict(set), [], StepRunner._execute

def called(frame, event, argument):
    if event == "call":
        used[stage_of[-1]].add(frame.f_code.co_filename)

def opened(event, arguments):
    if event == "open" and stage_of and isinstance(arguments[0], str) and "__pycache__" not in arguments[0]:
        used[stage_of[-1]].add(arguments[0])

class Watched:
    def __init__(self, stage):
        self.name, self.stage = stage.name, stage

    def run(self, *inputs):
        stage_of.append(self.stage.run.__module__)
        sys.setprofile(called)
        try:
            return self.stage.run(*inputs)
        finally:
            sys.setprofile(None)
            stage_of.pop()

def watched(self, stage, inputs, key, preimage):
    watcher = Watched(stage)
    Watched.run.__module__, Watched.run.__qualname__ = stage.run.__module__, stage.run.__qualname__
    return execute(self, watcher, inputs, key, preimage)

StepRunner._execute = watched
sys.addaudithook(opened)

def compiler():
    from loom import compiler
    return compiler

workspace = Workspace(load_project(Path.cwd()), compiler)
products = workspace.products
for stage in products.stages():
    for unit in products.units(stage.per):
        products.step(stage.name, unit)
site, found = sysconfig.get_path("purelib"), {}
for module, files in used.items():
    manifest = json.loads(workspace.code.manifest(module))
    own = {file.removeprefix(f"{PACKAGE.parent}/") for file in files if file.startswith(f"{PACKAGE}/")}
    foreign = {file.removeprefix(f"{site}/").split("/")[0] for file in files if file.startswith(f"{site}/")}
    found[module] = [sorted(own), sorted(own - manifest["files"].keys()), sorted(foreign), sorted(manifest["packages"])]
print(json.dumps(found))
"""
# Python's own way to find modules, and names for types.
WITHOUT_EFFECT = {"_distutils_hack", "typing_extensions.py"}


def watch(folder: Path, **environment: str) -> dict[str, list[list[str]]]:
    done = subprocess.run(
        [sys.executable, "-c", WATCH], cwd=folder, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LOOM_STORE": str(folder / "store"), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, list[list[str]]] = json.loads(done.stdout)
    return found


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    shutil.copytree(CHECKOUT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out", ".loom"))
    return tmp_path / "examples"


def test_all_that_stages_use_is_in_their_keys(examples: Path) -> None:
    found, titles = watch(examples), packages_distributions()
    assert found.keys() >= {"loom.parse.stage", "loom.lower.stage", "loom.plan.stage", "loom.emit.stage"}
    for stage, (own, missing, foreign, packages) in found.items():
        assert own and not missing, (stage, missing)
        used = {title.lower() for name in set(foreign) - WITHOUT_EFFECT for title in titles[name]}
        assert used <= set(packages), stage
    emitted = found["loom.emit.stage"][0]
    assert any("static" in file for file in emitted) and any("templates" in file for file in emitted)


def test_a_file_that_the_key_does_not_hold_is_noticed(examples: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for part in ("loom", "rules", "toolchains"):
        shutil.copytree(CHECKOUT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    stage, page = copy / "loom/render/stage.py", copy / "loom/render/README.md"
    added = "\n\n_inner = render_system\n\n\ndef render_system(*parts):\n"
    added += f"    open({str(page)!r}).close()\n    return _inner(*parts)\n"
    stage.write_text(stage.read_text() + added)
    found = watch(examples, PYTHONPATH=str(copy))
    assert found["loom.render.stage"][1] == ["loom/render/README.md"]
