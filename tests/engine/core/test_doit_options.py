"""What doit's own options and commands do with Loom's tasks is what doit's manual says of them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.core.test_doit import EVERY
from tests.engine.core.tide_project import MODEL, LoomProject, TideProject


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return LoomProject(tmp_path / "harbour")


def test_single_leaves_what_a_task_needs_alone(project: LoomProject) -> None:
    assert project.doit("run", "-s", "plan").marks == {"plan": "ran"}
    assert project.doit("run", "-s", "generate").marks == {"generate": "ran"}


@pytest.mark.parametrize("kind", ["thread", "process"])
def test_workers_of_either_kind(project: LoomProject, kind: str) -> None:
    marks = project.doit("run", "-n", "2", "-P", kind).marks
    assert marks == dict.fromkeys(EVERY, "ran")
    assert project.doit("run", "-n", "2", "-P", kind).marks == dict.fromkeys(EVERY, "kept")
    assert "harbour/docker-compose.yml" in project.output()


def test_database_of_another_name(project: LoomProject) -> None:
    database = project.root / "other.sqlite"
    project.doit("run", "--db-file", str(database))
    assert database.exists() and project.doit("run", "--db-file", str(database)).marks == dict.fromkeys(EVERY, "kept")
    assert set(project.doit().marks.values()) == {"restored"}


def test_report_goes_into_a_file(project: LoomProject) -> None:
    told = project.doit("run", "-o", "report.txt")
    assert told.marks == {} and "emit:quay_api" not in told.text
    lines = (project.root / "report.txt").read_text().splitlines()
    assert {line[3:] for line in lines if line.startswith(".  ")} == EVERY


def test_report_for_machines_goes_into_a_file(project: LoomProject) -> None:
    project.doit("run", "-r", "json", "-n", "2", "-o", "report.json")
    told = json.loads((project.root / "report.json").read_text())
    assert {row["name"] for row in told["tasks"]} == EVERY


def test_forget_takes_what_a_task_needs_along_when_asked(project: LoomProject) -> None:
    project.doit()
    project.doit("forget", "plan")
    assert project.ran(mark="restored") == {"plan"}
    project.doit("forget", "-s", "plan")
    assert project.ran(mark="restored") == {"parse:model/main.tide", "parse:model/quay.tide", "parse:model/berth.tide",
                                            "lower", "plan"}  # fmt: skip
    project.doit("forget", "--all")
    assert project.ran(mark="restored") == EVERY


def test_clean_takes_what_a_task_needs_along_when_asked(project: LoomProject) -> None:
    project.doit()
    project.doit("clean", "-c", "generate")
    assert not project.output() and (project.root / "store/ac").is_dir()
    assert not project.ran() and project.output()


def test_reset_dep_takes_the_present_state_as_done(project: LoomProject) -> None:
    """It writes down what is; a task whose key is not that of its last run does not become up to date by it."""
    project.doit()
    project.doit("reset-dep")
    assert set(project.doit().marks.values()) == {"kept"}
    project.write("quay", MODEL["quay"] + "ebb\n")
    project.doit("reset-dep")
    project.doit()
    assert "ebb" in project.output()["harbour/quay_api/main.txt"]


def test_dodo_file_is_found_from_a_folder_below(tmp_path: Path) -> None:
    project = TideProject(tmp_path / "harbour")
    done = subprocess.run(
        [sys.executable, "-m", "doit", "-k"], cwd=project.root / "model", env=project.environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "harbour/docker-compose.yml" in project.output() and not (project.root / "model/.loom").exists()


def test_database_that_somebody_holds_is_one_line(project: LoomProject) -> None:
    project.doit()
    project.write("quay", MODEL["quay"] + "ebb\n")
    with closing(sqlite3.connect(project.root / ".loom/doit.sqlite", isolation_level=None)) as held:
        held.execute("BEGIN EXCLUSIVE")
        told = project.doit(code=3).text
    assert told.startswith("ERROR: doit cannot use its database (database is locked): wait for whoever holds it")
    assert len(told.splitlines()) == 1
    project.doit()
    assert "ebb" in project.output()["harbour/quay_api/main.txt"]


def test_database_of_an_older_version_is_no_reason_to_stop(project: LoomProject) -> None:
    project.doit()
    with sqlite3.connect(project.root / ".loom/doit.sqlite") as database:
        old = json.dumps({"checker:": "MD5Checker", "deps:": [], "result:": "7", "_values_:": {"class": 1}})
        database.execute("UPDATE doit SET task_data = ?", (old,))
    database.close()
    assert set(project.doit().marks.values()) == {"restored"}
    assert set(project.doit().marks.values()) == {"kept"}
