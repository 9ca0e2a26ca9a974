"""What is done once is not done again: nothing changed, something lost, something changed, something changed back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.engine.pipeline.apiary_project import EVERY, ApiaryProject

FIELD = "siteName: string\n            class"
WARNED = "hive: BeeHive id, remark: string"


def warned_at(project: ApiaryProject) -> str:
    """Where the model's one warning says that the unused parameter is."""
    file = project.read("hive_keeping")
    before = file[: file.index("remark: string")]
    return f"model/hive_keeping.ddd:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def test_first_run_makes_everything_and_the_second_nothing(tmp_path: Path) -> None:
    project = ApiaryProject(tmp_path / "apiary", tmp_path / "store")
    assert project.doit("generate").marks == dict.fromkeys(EVERY, "ran")
    before = project.output()
    assert {"docker-compose.yml", "hive_service/pyproject.toml", "harvest_service/package.json"} <= before.keys()
    assert project.doit("generate").marks == dict.fromkeys(EVERY, "kept")
    assert project.doit("-n", "2").marks == dict.fromkeys(EVERY, "kept")
    assert project.output() == before


@pytest.mark.parametrize("lost", [["out"], [".loom/doit.sqlite"], [".loom/state.marshal"], [".loom"], ["out", ".loom"]])
def test_what_is_lost_comes_from_the_store(project: ApiaryProject, lost: list[str]) -> None:
    before, keys = project.output(), project.keys()
    for name in lost:
        place = project.root / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    done = project.doit()
    assert done.marks.keys() == EVERY
    assert not done.marked("ran") and not done.marked("failed")
    assert project.output() == before and project.keys() == keys
    assert project.doit().marks == dict.fromkeys(EVERY, "kept")


def test_removed_output_is_the_only_thing_restored(project: ApiaryProject) -> None:
    project.doit()
    shutil.rmtree(project.root / "out")
    assert project.doit().marked("restored") == {"generate"}


@pytest.mark.parametrize(
    "text",
    ["// A remark above.\n\n\n{}", "{}\n// and one below", "{}\n\n\n\n\n"],
    ids=["comment-above", "comment-below", "blank-lines"],
)
def test_comment_or_blank_line_runs_parse_alone(project: ApiaryProject, text: str) -> None:
    project.doit()
    before = project.output()
    project.write("hive_keeping", text.format(project.read("hive_keeping")))
    done = project.doit()
    assert done.marked("ran") == {"parse:model/hive_keeping.ddd"}
    assert done.marked("kept") == EVERY - {"parse:model/hive_keeping.ddd"}
    assert f" --> {warned_at(project)}\n" in done.text
    assert project.output() == before


def test_warning_moves_with_its_line_and_is_told_each_time(project: ApiaryProject) -> None:
    first = warned_at(project)
    project.change("hive_keeping", "aggregate BeeHive", "// One box\n// of bees.\n\n        aggregate BeeHive")
    project.change("hive_keeping", WARNED, "\n                " + WARNED)
    moved = warned_at(project)
    assert moved != first
    for _ in range(2):
        done = project.doit()
        assert f" --> {moved}\n" in done.text and first not in done.text
        assert done.text.count("warning[loom.workflow-param-unused]") == 1
    excerpt = done.text.partition(moved)[2].splitlines()
    assert excerpt[2].endswith(f"{WARNED}) {{") and excerpt[3].strip(" |") == "^" * len("remark")


def test_change_in_one_context_leaves_the_other_deployable_alone(project: ApiaryProject) -> None:
    before, keys = project.output(), project.keys()
    project.change("hive_keeping", FIELD, "siteName: string\n            order: int = 4\n            class")
    done = project.doit()
    assert {"parse:model/hive_keeping.ddd", "lower", "plan", "emit:hive_service", "generate"} <= done.marked("ran")
    assert done.marks["emit:harvest_service"] == "kept"
    assert done.marks["parse:model/honey_harvest.ddd"] == "kept"
    after = project.output()
    changed = {path.split("/")[0] for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert "hive_service" in changed and "harvest_service" not in changed
    # The deployment files hold the wire contract of the whole system.
    assert {task for task, key in project.keys().items() if keys[task] != key} == {
        "emit:hive_service",
        "render:compose",
    }


def test_changing_back_runs_nothing(project: ApiaryProject) -> None:
    before, keys, text = project.output(), project.keys(), project.read("hive_keeping")
    project.change("hive_keeping", FIELD, "siteName: string\n            order: int = 4\n            class")
    assert project.doit().marked("ran")
    project.write("hive_keeping", text)
    done = project.doit()
    assert not done.marked("ran") and not done.marked("failed")
    assert project.output() == before and project.keys() == keys
    assert project.doit().marks == dict.fromkeys(EVERY, "kept")


def test_change_of_what_both_share_reaches_both_only_as_far_as_they_use_it(project: ApiaryProject) -> None:
    project.change("quality", "Fierce", "Fierce, Asleep")
    done = project.doit()
    assert done.marks["emit:hive_service"] == "ran"
    assert (project.out / "hive_service/openapi.json").read_text().count("Asleep")


def test_change_of_the_system_leaves_contexts_alone(project: ApiaryProject) -> None:
    project.change("main", "port: 8302", "port: 8303")
    done = project.doit()
    assert done.marks["emit:hive_service"] == "kept"
    assert done.marks["render:compose"] == "ran"
    assert "8303" in (project.out / "docker-compose.yml").read_text()


def test_two_checkouts_share_a_store(project: ApiaryProject, tmp_path: Path) -> None:
    other = ApiaryProject(tmp_path / "elsewhere/apiary", Path(project.environment["LOOM_STORE"]))
    assert other.doit().marks == dict.fromkeys(EVERY, "restored")
    assert other.output() == project.output() and other.keys() == project.keys()
