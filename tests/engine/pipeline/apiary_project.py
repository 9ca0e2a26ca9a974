"""A project of bee hives in a folder of its own, built by real `doit` processes with the real compiler."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parents[3]
TEMPLATE = Path(__file__).with_name("apiary")
MARKS = {".  ": "ran", "=  ": "restored", "-- ": "kept", "!! ": "failed"}
DODO = "from loom.tasks import DOIT_CONFIG, task_loom\n"
LOOM = "import sys; from loom.cli import main; sys.exit(main())"

PARSED = {f"parse:model/{name}.ddd" for name in ("main", "hive_keeping", "honey_harvest", "quality")}
EVERY = {
    *PARSED, "lower", "validate", "plan", "emit:hive_service", "emit:harvest_service", "render:compose", "generate",
}  # fmt: skip


class Ran(NamedTuple):
    """`marks` says of each task whether it ran, was restored, was kept as it was, or failed."""

    code: int
    marks: dict[str, str]
    text: str

    def marked(self, mark: str) -> set[str]:
        return {task for task, found in self.marks.items() if found == mark}


class ApiaryProject:
    """`loom` is the folder that holds the package to run.

    `user`, `umask`, `python` and `packages` say who runs it and how; unless set, as the test itself runs.
    """

    def __init__(self, root: Path, store: Path, *, template: Path = TEMPLATE, loom: Path = CHECKOUT) -> None:
        self.root = root
        self.loom_folder = loom
        self.user: int | None = None
        self.python = sys.executable
        self.packages: tuple[str, ...] = ()
        self.umask = -1
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "LOOM_STORE": str(store)}
        if not root.exists():
            shutil.copytree(template, root, ignore=shutil.ignore_patterns("out", ".loom"))
            (root / "dodo.py").write_text(DODO)

    def copied(self, root: Path) -> ApiaryProject:
        """The same project and store, with all that was built, in another place."""
        shutil.copytree(self.root, root)
        store = root.with_name(f"{root.name}-store")
        shutil.copytree(self.environment["LOOM_STORE"], store)
        return ApiaryProject(root, store, loom=self.loom_folder)

    def read(self, name: str) -> str:
        return (self.root / "model" / f"{name}.ddd").read_text()

    def write(self, name: str, text: str) -> None:
        (self.root / "model" / f"{name}.ddd").write_text(text)

    def change(self, name: str, old: str, new: str) -> None:
        """Replace a text of a file of the model that must be there."""
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new, 1))

    def doit(self, *words: str, code: int | None = 0) -> Ran:
        return self._run(["-m", "doit", *words], code)

    def loom(self, *words: str, code: int | None = 0) -> Ran:
        return self._run(["-c", LOOM, *words], code)

    def _run(self, words: list[str], code: int | None) -> Ran:
        path = os.pathsep.join((str(self.loom_folder), *self.packages))
        done = subprocess.run(
            [self.python, *words], cwd=self.root, env={"PYTHONPATH": path, **self.environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, user=self.user, umask=self.umask,
            encoding="utf-8",
        )  # fmt: skip
        assert code is None or done.returncode == code, done.stdout
        assert "Traceback" not in done.stdout, done.stdout
        marks = {line[3:].split(" ")[0]: MARKS[line[:3]] for line in done.stdout.splitlines() if line[:3] in MARKS}
        return Ran(done.returncode, marks, done.stdout)

    @property
    def out(self) -> Path:
        """The output folder of the apiary."""
        return self.root / "out/apiary"

    def output(self) -> dict[str, tuple[bytes, bool]]:
        """Bytes and executable bit of every file of the output folder."""
        files = [path for path in self.out.rglob("*") if path.is_file()] if self.out.exists() else []
        return {
            path.relative_to(self.out).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
            for path in files
        }

    def keys(self) -> dict[str, str]:
        """The key of each task whose files were written, from the manifest."""
        manifest = json.loads((self.out / ".loom/manifest.json").read_text())
        found: dict[str, str] = manifest["tasks"]
        return found
