"""An action that failed can be looked at and done again by hand."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from loom.build.housekeeping.remove import empty
from tests.engine.core.gated_project import gated_project
from tests.engine.core.tide_project import LoomProject, loom
from tests.kit.places import STORE


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    """Its gate fails on the word `typo`."""
    return gated_project(tmp_path / "harbour", "python", words=" typo", LOOM_CANARY="seen")


def test_script_fails_as_the_action_did(project: LoomProject) -> None:
    text = project.doit("run", "--keep-failed", "gate:python", code=1).text
    found = re.search(r"kept in (.+); run\.sh there does it again", text)
    assert found is not None, text
    place = Path(found[1])
    assert place.is_relative_to(STORE / "failed")
    again = subprocess.run([place / "run.sh"], capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "main.txt:2: error: `typo` is no word" in again.stderr and "words" in again.stdout
    inside = [str(place / "run.sh"), "/bin/sh", "-c", "ls /in/project; id -u; env; cat /proc/1/environ"]
    shown = subprocess.run(inside, capture_output=True, text=True, check=True).stdout
    assert "main.txt" in shown and "1000" in shown and "seen" not in shown
    typed = 'pwd; cat main.txt; touch mine; python3 -c "print(6 * 7)"; env; exit 3'
    seen = subprocess.run([place / "run.sh", "/bin/sh"], input=typed, capture_output=True, text=True, check=False)
    assert seen.stdout.startswith("/build/project\n") and "typo\n42\n" in seen.stdout and seen.returncode == 3, seen
    assert "PATH=/" in seen.stdout and "OLDPWD" not in seen.stdout and "CANARY" not in seen.stdout
    assert "CANARY" not in (place / "run.sh").read_text()
    empty(place)


def test_nothing_is_kept_unless_asked_for(project: LoomProject) -> None:
    before = {*(STORE / "failed").glob("*")}
    assert "kept in" not in project.doit("gate:python", code=1).text
    assert {*(STORE / "failed").glob("*")} == before and not [*(STORE / "work").glob("*typo*")]


def test_log_says_what_failed_and_how_to_do_it_again(project: LoomProject) -> None:
    project.doit("gate:python", code=1)
    told = loom(project, "log", "what-failed")
    assert "!! gate:python:quay_api failed" in told and "again: loom run -a -s gate:python:quay_api" in told
    assert "main.txt:2: error: `typo` is no word" in told
