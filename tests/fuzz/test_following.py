"""A minute of following coverage from what is kept, in a process of its own, and what a fault looks like there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("kept")
FAULTY = """
from tests.fuzz import run

def exercise(data):
    raise ValueError("seeded")

run.exercise = exercise
run.main("5")
"""


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Artefacts are written to the present folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)


def test_a_minute_of_following_coverage_finds_no_fault(tmp_path: Path) -> None:
    done = ran(tmp_path, "-m", "tests.fuzz.run", "60", "-seed=20261201")
    assert done.returncode == 0, f"{done.stderr[-4000:]}\n{done.stdout[-4000:]}"
    (runs,) = re.findall(r"^Done (\d+) runs", done.stderr, re.M)
    assert int(runs) >= len(list(KEPT.iterdir()))


def test_fault_ends_the_run_and_leaves_the_bytes_that_made_it(tmp_path: Path) -> None:
    done = ran(tmp_path, "-c", FAULTY)
    assert done.returncode != 0 and "ValueError: seeded" in done.stdout + done.stderr
    assert len(list(tmp_path.glob("crash-*"))) == 1
