"""Measures Loom on projects of several sizes and writes the table into README.md.

In: names of sizes, all when there are none. Out: the table, printed and in `tests/bench/README.md`.
Never: a verdict: times are for people to read, and no test asserts one.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import Cost, cost, least
from tests.bench.sandbox import sandbox_share
from tests.bench.synth import SIZES, Size, write

README = Path(__file__).with_name("README.md")
ROOT = README.parents[2]
DODO = "from loom.tasks import DOIT_CONFIG, task_loom\n\n__all__ = ['DOIT_CONFIG', 'task_loom']\n"
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


class Row(NamedTuple):
    size: Size
    files: int
    cold: Cost
    nothing: Cost
    stock: Cost
    edit: Cost
    comment: Cost
    restore: Cost


class Bench:
    """One project in a folder of its own; byte-code is kept beside it, as for installed packages."""

    def __init__(self, place: Path, size: Size) -> None:
        self.size = size
        self.project = place / "project"
        self.stock = place / "stock"
        self.repeats = 5 if size.total < 100 else 2
        self.store = place / "store"
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.environment |= {
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(place.parent / "bytecode"),
            "LOOM_STORE": str(self.store),
        }

    def prepare(self) -> None:
        write(self.size, self.project)
        (self.project / "dodo.py").write_text(DODO, encoding="utf-8")

    def measured(self) -> Row:
        self.prepare()
        self.loom()  # compiles the byte-code
        cold = least(self.repeats, self.cold)
        nothing = least(5, self.loom)
        return Row(
            size=self.size,
            files=sum(1 for path in (self.project / "out").rglob("*") if path.is_file()),
            cold=cold,
            nothing=nothing,
            stock=least(5, self.stock_doit),
            edit=self.edited("depthMetres: int = {}"),
            comment=self.edited("depthMetres: int = 10 // and {}"),
            restore=least(self.repeats, self.restored),
        )

    def loom(self) -> Cost:
        return cost([sys.executable, "-m", "doit", "generate"], self.project, self.environment)

    def cold(self) -> Cost:
        """Nothing is there but the model and the package.

        What was there is put aside: file systems are slow to make files where others were just deleted.
        """
        aside = Path(tempfile.mkdtemp(dir=self.project.parent))
        for folder in (self.store, self.project / ".loom", self.project / "out"):
            if folder.exists():
                folder.rename(aside / folder.name)
        return self.loom()

    def restored(self) -> Cost:
        shutil.rmtree(self.project / "out")
        return self.loom()

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
        tasks = 1 + self.size.contexts + 3 + self.size.deployables + 2
        self.stock.mkdir(exist_ok=True)
        dodo = self.stock / "dodo.py"
        if not dodo.exists():
            dodo.write_text(STOCK.format(tasks=tasks), encoding="utf-8")
            self.stock_doit()
        return cost([sys.executable, "-c", STOCK_DOIT], self.stock, self.environment)


def table(rows: Sequence[Row], share: float) -> Iterator[str]:
    """Markdown: one column a size, one line a measure."""

    def line(title: str, cells: Sequence[str]) -> str:
        return f"| {title} | {' | '.join(cells)} |"

    yield line("", [f"{row.size.total} aggregates" for row in rows])
    yield line("---", ["---:" for _ in rows])
    yield line("contexts, deployables", [f"{row.size.contexts}, {row.size.deployables}" for row in rows])
    yield line("files written", [f"{row.files:,}" for row in rows])
    yield line("cold `generate`", [_seconds(row.cold) for row in rows])
    yield line("… for each aggregate", [_each(row) for row in rows])
    yield line("peak memory of it", [f"{row.cold.mebibytes:.0f} MiB" for row in rows])
    yield line("nothing to do", [_seconds(row.nothing) for row in rows])
    yield line("… of stock doit with as many trivial tasks", [_ratio(row.nothing, row.stock) for row in rows])
    yield line("one line of one context", [f"{_seconds(row.edit)}, {_percent(row.edit, row.cold)}" for row in rows])
    yield line("one comment", [f"{_seconds(row.comment)}, {_percent(row.comment, row.cold)}" for row in rows])
    yield line("output removed", [f"{_seconds(row.restore)}, {_percent(row.restore, row.cold)}" for row in rows])
    if len(rows) > 1:
        yield ""
        yield f"Percentages are of the cold run. An aggregate costs {_growth(rows)}."
    yield ""
    yield f"A command of half a second takes {share:+.1%} in the sandbox, compared to bubblewrap by hand in the same"
    yield "root (by the clock, the median of pairs; on a busy machine the sandbox gets a share of its own)."


def _seconds(spent: Cost) -> str:
    return f"{spent.seconds:.2f} s"


def _each(row: Row) -> str:
    return f"{row.cold.seconds / row.size.total * 1000:.1f} ms"


def _ratio(one: Cost, other: Cost) -> str:
    return f"{one.seconds / other.seconds:.2f} times"


def _percent(one: Cost, other: Cost) -> str:
    return f"{one.seconds / other.seconds:.0%}"


def _growth(rows: Sequence[Row]) -> str:
    *_, before, last = rows
    growth = (last.cold.seconds / last.size.total) / (before.cold.seconds / before.size.total)
    return f"{growth:.2f} times as much in {last.size.total} as in {before.size.total}"


def main(names: Sequence[str]) -> None:
    rows = []
    with tempfile.TemporaryDirectory(prefix="loom-bench-") as folder:
        for name in names or list(SIZES):
            place = Path(folder, name)
            place.mkdir()
            rows.append(Bench(place, SIZES[name]).measured())
            shutil.rmtree(place)
    text = "\n".join(table(rows, sandbox_share()))
    sys.stdout.write(f"{text}\n")
    page = README.read_text(encoding="utf-8")
    marked = re.sub(r"(?s)(<!-- measured -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{text}\n{found[2]}", page)
    README.write_text(marked, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
