"""Clocks that are wrong decide nothing: what is up to date stays so, and what was edited is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.build.rebuild.otherwise import LIBRARY, turned
from tests.engine.core.tide_project import MODEL, LoomProject
from tests.engine.world.world_kit import the_root


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return LoomProject(tmp_path / "harbour")


def at(project: LoomProject, moved: str) -> None:
    """From now on the project's processes have another time; file systems keep theirs."""
    project.environment |= turned(the_root("clock").folder / LIBRARY, moved)


@pytest.mark.parametrize("moved", ["+400d", "-1d", "-20y"])
def test_nothing_is_done_again_at_another_time(project: LoomProject, moved: str) -> None:
    project.doit()
    project.doit()
    at(project, moved)
    assert set(project.doit().marks.values()) == {"kept"}
    assert set(project.doit("generate").marks.values()) == {"kept"}


@pytest.mark.parametrize("moved", ["+400d", "-1d", "-20y"])
def test_edit_is_seen_at_another_time(project: LoomProject, moved: str) -> None:
    """Up to `emit`: Python cannot sleep with that library, and `generate` lets a tick pass."""
    at(project, moved)
    project.doit("emit")
    for word in ("ebb", "flow", "neap"):
        project.write("quay", f"{MODEL['quay']}{word}1\n")
        assert project.doit("emit").marks["emit:quay_api"] == "ran"
        assert project.doit("emit").marks["emit:quay_api"] == "kept"
    at(project, "+0")
    assert set(project.doit("emit").marks.values()) == {"kept"}
    del project.environment["LD_PRELOAD"]
    project.doit()
    assert "neap1" in project.output()["harbour/quay_api/main.txt"]


def test_the_clock_of_the_test_is_turned(project: LoomProject) -> None:
    """Else the others would show nothing."""
    dodo = project.root / "dodo.py"
    dodo.write_text(dodo.read_text() + "import time\nprint('now', int(time.time()))\n")

    def now() -> int:
        text = project.doit("list").text
        return int(next(line for line in text.splitlines() if line.startswith("now ")).removeprefix("now "))

    before = now()
    at(project, "-20y")
    assert now() < before - 19 * 365 * 86400
