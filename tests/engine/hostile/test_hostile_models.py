"""Models that are legal and unkind: both backends build them, and what they answer is the same on both.

- names: what a language, a library or a database has already, as names of everything.
- shapes: every type, optional, repeated and nested; very long names, 300 fields, 400 values of an enum.
- behaviour: every statement, expression, find and result; texts that end strings elsewhere; two contexts at once.
- corners: names that emitted code gives to its own things, and what two languages could do differently.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.places import STORE

CHECKOUT = Path(__file__).parents[3]
MODELS = Path(__file__).parent
SYSTEMS = ("behaviour", "corners", "names", "shapes")
DODO = "from loom.tasks import DOIT_CONFIG, task_loom\n"


@pytest.mark.parametrize("system", SYSTEMS)
def test_both_backends_build_and_prove_it(system: str, tmp_path: Path) -> None:
    _project(tmp_path, system)
    done = _doit(tmp_path, "generate", "gate:python", "gate:node", "e2e")
    assert done.returncode == 0, done.stdout
    marks = set(re.findall(r"^(?:\.  |=  |-- )(gate|e2e):(?:python:|node:)?(python|node)_", done.stdout, re.MULTILINE))
    assert marks == {("gate", "python"), ("gate", "node"), ("e2e", "python"), ("e2e", "node")}


def _project(root: Path, system: str) -> None:
    for model in MODELS.glob("*.ddd"):
        shutil.copy(model, root)
    (root / "dodo.py").write_text(DODO)
    (root / "loom.yaml").write_text(f"systems:\n  {system}: {{entry: {system}.ddd}}\n")


def _doit(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(CHECKOUT), "PATH": os.environ["PATH"], "HOME": str(root), "LOOM_STORE": str(STORE)}
    return subprocess.run(
        [sys.executable, "-m", "doit", "-c", *words], cwd=root, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, encoding="utf-8",
    )  # fmt: skip
