"""What a run with nothing to do costs, against doit with as many tasks that do nothing."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.engine.core.tide_project import TideProject

CONTEXTS = 51
STOCK = """
DOIT_CONFIG = {{"backend": "sqlite3"}}
def nothing(): pass
def task_nothing():
    for number in range({tasks}):
        yield {{"name": str(number), "actions": [nothing], "uptodate": [True]}}
"""


def processor(run: Callable[[], object]) -> float:
    """The least of five, in seconds of the processor, in this run's own child processes."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def test_nothing_to_do_costs_little_more_than_doit_itself(tmp_path: Path) -> None:
    project = TideProject(tmp_path / "harbour")
    names = range(CONTEXTS)
    imports = "".join(f"import model/c{number}.tide\n" for number in names)
    hosts = "".join(f"deploy c{number}_api on rust hosts C{number}\n" for number in names[1:])
    project.write("main", imports + hosts)
    for number in names:
        project.write(f"c{number}", f"context C{number}\nneap tide{number}\n")
    project.doit()
    tasks = len(project.doit().marks)
    stock = tmp_path / "stock"
    stock.mkdir()
    (stock / "dodo.py").write_text(STOCK.format(tasks=tasks))
    words = [sys.executable, "-m", "doit"]

    def run_stock() -> None:
        subprocess.run(words, cwd=stock, env=project.environment, stdout=subprocess.DEVNULL, check=True)

    run_stock()
    assert tasks > 2 * CONTEXTS
    assert set(project.doit().marks.values()) == {"kept"}
    ours, theirs = processor(project.doit), processor(run_stock)
    assert ours < 1.5 * theirs, (ours, theirs)
