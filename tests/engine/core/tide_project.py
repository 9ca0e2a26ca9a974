"""A project of tide tables in a folder, built by real `doit` processes with the toy compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parents[3]
MARKS = {".  ": "ran", "=  ": "restored", "-- ": "kept", "!! ": "failed"}

LOOM_YAML = "systems:\n  harbour: {entry: model/main.tide}\nstore: store\n"
MODEL = {
    "main": (
        "import model/quay.tide\nimport model/berth.tide\n"
        "deploy quay_api on python hosts QuayHTTPLog\ndeploy berth_api on node hosts Berth\n"
    ),
    "quay": "context QuayHTTPLog\nneap tide class\n",
    "berth": "context Berth\nspring tide\n",
}
DODO = """
from loom.build.bridge.dodo import open_workspace, project_config, project_tasks
from pathlib import Path
DOIT_CONFIG = project_config(Path.cwd())
def toy():
    from tests.engine.core import toy
    return toy
def task_loom():
    yield from project_tasks(open_workspace(Path.cwd(), toy))
"""


class Ran(NamedTuple):
    code: int
    marks: dict[str, str]
    text: str


class TideProject:
    def __init__(self, root: Path, **environment: str) -> None:
        self.root = root
        self.environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT), "HOME": str(root), **environment}
        (root / "model").mkdir(parents=True)
        (root / "loom.yaml").write_text(LOOM_YAML)
        (root / "dodo.py").write_text(DODO)
        for name, text in MODEL.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.root / "model" / f"{name}.tide").write_text(text)

    def doit(self, *words: str, code: int | None = 0) -> Ran:
        return self._run(["-m", "doit", *words], code)

    def _run(self, words: list[str], code: int | None) -> Ran:
        done = subprocess.run(
            [sys.executable, *words], cwd=self.root, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        assert code is None or done.returncode == code, done.stdout
        assert "Traceback" not in done.stdout, done.stdout
        marks = {line[3:].split(" ")[0]: MARKS[line[:3]] for line in done.stdout.splitlines() if line[:3] in MARKS}
        return Ran(done.returncode, marks, done.stdout)

    def ran(self, *words: str, mark: str = "ran") -> set[str]:
        return {task for task, found in self.doit(*words).marks.items() if found == mark}

    def output(self) -> dict[str, str]:
        root = self.root / "out"
        return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


class LoomProject(TideProject):
    """The same, with Loom's replacements of doit's commands, as the installed package registers them."""

    def doit(self, *words: str, code: int | None = 0) -> Ran:
        if not (self.root / "main.py").exists():
            (self.root / "main.py").write_text(
                "import sys, dodo\n"
                "from doit.cmd_base import ModuleTaskLoader\n"
                "from loom.build.bridge.commands import LoomMain\n"
                "sys.exit(LoomMain(ModuleTaskLoader(vars(dodo))).run(sys.argv[1:]))\n"
            )
        return self._run(["main.py", *words], code)


def loom(project: LoomProject, *words: str, code: int = 0) -> str:
    """What the command `loom` says in the project."""
    main = "import sys; from loom.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", main, *words], cwd=project.root, env=project.environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code and "Traceback" not in done.stdout, done.stdout
    return done.stdout
