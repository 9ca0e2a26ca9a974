"""One project of the bench, and the commands that are measured in it.

In: a folder and a size. Out: what a run costs. Never: the store of this machine, unless it is given.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.bench.measure import Cost, cost, least
from tests.bench.synth import Size, write

ROOT = Path(__file__).parents[2]
DODO = "from loom.tasks import DOIT_CONFIG, task_loom\n\n__all__ = ['DOIT_CONFIG', 'task_loom']\n"
COMMAND = "import sys; from loom.cli import main; sys.exit(main())"
PACKAGES = ("doit", "pydantic", "lark", "jinja2")
STOCK = """
def nothing():
    pass


def task_trivial():
    for number in range({tasks}):
        yield {{"name": str(number), "file_dep": ["dodo.py"], "actions": [nothing]}}
"""
# doit as it comes: it looks for what others add to it, and finds nothing of Loom's.
STOCK_DOIT = """
import sys
from doit.doit_cmd import DoitMain
from doit.plugin import PluginDict

found = PluginDict._from_entry_points


def foreign(plugins, category):
    return {name: entry for name, entry in found(plugins, category).items() if not entry.location.startswith("loom.")}


PluginDict._from_entry_points = foreign
sys.exit(DoitMain().run([]))
"""


class Bench:
    """One project in a folder of its own; byte-code is kept beside it, as for installed packages."""

    def __init__(self, place: Path, size: Size, store: Path | None = None) -> None:
        self.size = size
        self.project = place / "project"
        self.stock = place / "stock"
        self.repeats = 5 if size.total < 100 else 2
        self.store = store or place / "store"
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.environment |= {
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(place.parent / "bytecode"),
            "LOOM_STORE": str(self.store),
        }

    def prepare(self) -> None:
        write(self.size, self.project)
        (self.project / "dodo.py").write_text(DODO, encoding="utf-8")

    def loom(self, *words: str) -> Cost:
        """Through doit; `generate` without words."""
        return cost([sys.executable, "-m", "doit", *(words or ("generate",))], self.project, self.environment)

    def command(self) -> Cost:
        """`loom generate`."""
        return cost([sys.executable, "-c", COMMAND, "generate"], self.project, self.environment)

    def cold(self) -> Cost:
        """Nothing is there but the model and the package."""
        self.lose(self.store, self.project / ".loom", self.project / "out")
        return self.loom()

    def imports(self) -> Cost:
        """The packages that Loom stands on, imported in one process: how fast this machine is at Python."""
        names = ", ".join(PACKAGES)
        return cost([sys.executable, "-c", f"import {names}; pydantic.BaseModel"], self.project, self.environment)

    def interpreter(self) -> Cost:
        """Python that does nothing."""
        return cost([sys.executable, "-c", "pass"], self.project, self.environment)

    def lose(self, *places: Path) -> None:
        """They are put aside: file systems are slow to make files where others were just deleted."""
        aside = Path(tempfile.mkdtemp(dir=self.project.parent))
        for place in places:
            if place.exists():
                place.rename(aside / place.name)

    def restored(self) -> Cost:
        self.lose(self.project / "out")
        return self.loom()

    def copied(self) -> Cost:
        """The same files by `cp -r`."""
        target = Path(tempfile.mkdtemp(dir=self.project.parent)) / "out"
        return cost(["cp", "-r", str(self.project / "out"), str(target)], self.project, self.environment)

    def files(self) -> int:
        return sum(1 for path in (self.project / "out").rglob("*") if path.is_file())

    def edited(self, line: str) -> Cost:
        """A line of one context that was never there before."""
        file = self.project / "model/pit_0.ddd"
        before = file.read_text(encoding="utf-8")
        found = []
        for number in range(20, 20 + self.repeats):
            file.write_text(before.replace("depthMetres: int = 10", line.format(number), 1), encoding="utf-8")
            found.append(self.loom())
        file.write_text(before, encoding="utf-8")
        self.loom()
        return least(len(found), iter(found).__next__)

    def stock_doit(self) -> Cost:
        """As many tasks as `generate` has, each with a file that it reads."""
        tasks = self.size.tasks
        self.stock.mkdir(exist_ok=True)
        dodo = self.stock / "dodo.py"
        if not dodo.exists():
            dodo.write_text(STOCK.format(tasks=tasks), encoding="utf-8")
            self.stock_doit()
        return cost([sys.executable, "-c", STOCK_DOIT], self.stock, self.environment)
