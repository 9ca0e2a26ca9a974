"""The output folder of a real project: edits stop `generate`, what is deleted returns, what is stale goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engine.pipeline.apiary_project import ApiaryProject

EDITED = "hive_service/pyproject.toml"
OWN = "// mine\n"


def written(project: ApiaryProject) -> dict[str, int]:
    """When each file was last written."""
    return {str(path): path.stat().st_mtime_ns for path in project.out.rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", [(), ("generate",), ("-n", "2", "generate")])
def test_edited_file_stops_generate_and_nothing_is_written(project: ApiaryProject, words: tuple[str, ...]) -> None:
    place = project.out / EDITED
    place.write_text("[project]\n")
    (project.out / "docker-compose.yml").unlink()
    project.change("hive_keeping", "siteName: string\n", "siteName: string\n            order: int = 4\n")
    before = written(project)
    done = project.doit(*words, code=1)
    assert done.marks["generate"] == "failed" and done.marks["emit:hive_service"] == "ran"
    assert f"out/apiary/{EDITED}" in done.text and "--overwrite" in done.text
    assert written(project) == before and place.read_text() == "[project]\n"
    again = project.doit(code=1)
    assert again.marked("failed") == {"generate"} and not again.marked("ran")


def test_all_edited_files_are_named_at_once(project: ApiaryProject) -> None:
    names = (EDITED, "harvest_service/package.json", "docker-compose.yml")
    for name in names:
        (project.out / name).write_text(OWN)
    done = project.doit(code=1)
    assert all(f"out/apiary/{name}" in done.text for name in names)


@pytest.mark.parametrize("command", ["doit", "loom"])
def test_overwrite_is_explicit(project: ApiaryProject, command: str) -> None:
    before = project.output()
    (project.out / EDITED).write_text(OWN)
    run = project.doit if command == "doit" else project.loom
    assert run("generate", "--overwrite").marks["generate"] == "restored"
    assert project.output() == before
    assert project.doit().marks["generate"] == "kept"


def test_edit_that_was_taken_back_is_none(project: ApiaryProject) -> None:
    place = project.out / EDITED
    data = place.read_bytes()
    place.write_text(OWN)
    place.write_bytes(data)
    assert not project.doit().marked("failed")


def test_deleted_files_and_folders_return(project: ApiaryProject) -> None:
    before = project.output()
    (project.out / EDITED).unlink()
    for path in sorted((project.out / "harvest_service/src").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    kept = written(project)
    done = project.doit()
    assert done.marked("restored") == {"generate"} and not done.marked("ran")
    assert project.output() == before
    assert {path: time for path, time in written(project).items() if path in kept} == kept


def test_lost_executable_bit_returns_or_is_named(project: ApiaryProject) -> None:
    (project.out / "create-secrets.sh").chmod(0o600)
    done = project.doit("generate", code=None)
    assert done.code == 1 and "out/apiary/create-secrets.sh" in done.text
    project.doit("generate", "--overwrite")
    assert os.access(project.out / "create-secrets.sh", os.X_OK)


def test_removed_deployable_goes_and_own_files_stay(project: ApiaryProject) -> None:
    own = project.out / "harvest_service/NOTES.md"
    own.write_text(OWN)
    before = project.output()
    model = project.read("main")
    start = model.index("    deployable HarvestService")
    end = model.index('    test e2e "frames')
    project.write("main", without_test(model[:start] + model[end:]))
    assert "emit:harvest_service" not in project.doit("list", "--all").text
    project.doit()
    left = [path for path in project.output() if path.startswith("harvest_service/")]
    assert left == ["harvest_service/NOTES.md"]
    assert project.output()["hive_service/pyproject.toml"] == before["hive_service/pyproject.toml"]
    project.write("main", model)
    assert not project.doit().marked("ran") - {"render:compose"}
    assert project.output() == before


def without_test(model: str) -> str:
    """The system without its end-to-end test of the service that is gone."""
    return model[: model.index('    test e2e "a batch')] + "}\n"


def test_removed_aggregate_takes_its_files_along_but_never_an_edited_one(project: ApiaryProject) -> None:
    project.write("honey_harvest", project.read("honey_harvest").replace(AGGREGATE_END, ADDED))
    project.doit()
    new = [path for path in project.output() if "wax" in Path(path).name]
    assert new
    project.write("honey_harvest", project.read("honey_harvest").replace(ADDED, AGGREGATE_END))
    (project.out / new[0]).write_text(OWN)
    done = project.doit()
    assert f"kept out/apiary/{new[0]}" in done.text or f"kept {new[0]}" in done.text
    assert [path for path in project.output() if "wax" in Path(path).name] == [new[0]]


AGGREGATE_END = "        repository HoneyBatches for HoneyBatch { }\n"
ADDED = (
    "        aggregate WaxBlock with crudish { grams: int }\n"
    "        repository WaxBlocks for WaxBlock { }\n" + AGGREGATE_END
)


def test_file_in_the_way_is_not_written_over(tmp_path: Path) -> None:
    project = ApiaryProject(tmp_path / "apiary", tmp_path / "store")
    place = project.out / EDITED
    place.parent.mkdir(parents=True)
    place.write_text(OWN)
    done = project.doit(code=1)
    assert f"out/apiary/{EDITED}" in done.text
    assert [path for path in project.output()] == [EDITED] and place.read_text() == OWN


def test_link_out_of_the_folder_is_not_followed(project: ApiaryProject, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    service = project.out / "hive_service"
    service.rename(tmp_path / "aside")
    service.symlink_to(victim)
    project.doit(code=1)
    assert list(victim.iterdir()) == []


def test_clean_takes_what_was_written_and_leaves_what_was_edited(project: ApiaryProject) -> None:
    own, edited = project.out / "harvest_service/NOTES.md", project.out / EDITED
    own.write_text(OWN)
    edited.write_text(OWN)
    dry = project.doit("clean", "-n", "generate")
    assert f"{EDITED}" in dry.text and (project.out / "docker-compose.yml").exists()
    done = project.doit("clean")
    assert f"kept out/apiary/{EDITED}: it was edited" in done.text
    assert set(project.output()) == {EDITED, "harvest_service/NOTES.md", ".loom/manifest.json"}
    edited.unlink()
    assert not project.doit().marked("ran")
    assert "docker-compose.yml" in project.output()
