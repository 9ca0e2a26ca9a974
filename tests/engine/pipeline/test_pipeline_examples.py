"""The example project: two systems that share a context, generated, restored, changed and changed back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.engine.pipeline.apiary_project import CHECKOUT, ApiaryProject
from tests.kit.places import SERVICES, STORE

SCHEDULE = "observatory/night_schedule.ddd"
HOSTS = {"emit:schedule_service", "emit:python_schedule", "emit:node_schedule"}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> ApiaryProject:
    """Generated once; each test leaves the model as it found it."""
    folder = tmp_path_factory.mktemp("observatory")
    project = ApiaryProject(folder / "examples", folder / "store", template=CHECKOUT / "examples")
    first = project.doit()
    assert set(first.marks.values()) == {"ran"} and HOSTS | {"emit:registry_service"} <= first.marks.keys()
    return project


def output(project: ApiaryProject) -> dict[str, bytes]:
    root = project.root / "out"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_second_run_does_nothing(examples: ApiaryProject) -> None:
    assert set(examples.doit().marks.values()) == {"kept"}


@pytest.mark.parametrize("lost", [["out"], [".loom"], ["out", ".loom"]])
def test_what_is_lost_is_restored(examples: ApiaryProject, lost: list[str]) -> None:
    before = output(examples)
    for name in lost:
        shutil.rmtree(examples.root / name)
    done = examples.doit()
    assert not done.marked("ran") and not done.marked("failed")
    assert output(examples) == before


def test_change_reaches_every_host_of_its_context_and_no_other_and_can_be_taken_back(examples: ApiaryProject) -> None:
    before, place = output(examples), examples.root / SCHEDULE
    text = place.read_text()
    place.write_text(
        text.replace("            abstract: string?\n", "            abstract: string?\n            order: int = 2\n")
    )
    done = examples.doit()
    assert done.marks["emit:registry_service"] == "kept"
    assert {name for name in done.marked("ran") if name.startswith("emit:")} == HOSTS
    assert [name for name in done.marked("ran") if name.startswith("parse:")] == [f"parse:{SCHEDULE}"]
    changed = {path.split("/")[1] for path, data in output(examples).items() if before.get(path) != data}
    assert "schedule_service" in changed and "registry_service" not in changed
    place.write_text(text)
    back = examples.doit()
    assert not back.marked("ran") and not back.marked("failed")
    assert output(examples) == before


def test_comment_runs_parse_alone(examples: ApiaryProject) -> None:
    place: Path = examples.root / SCHEDULE
    text = place.read_text()
    place.write_text(text.replace("subdomain", "// When the sky is looked at.\n\nsubdomain", 1))
    done = examples.doit()
    place.write_text(text)
    assert done.marked("ran") == {f"parse:{SCHEDULE}"}


def test_all_of_it_is_built_and_proven(tmp_path: Path) -> None:
    """With the machine's own store, which has the toolchains and whatever was proven before."""
    project = ApiaryProject(tmp_path / "examples", STORE, template=CHECKOUT / "examples")
    words = ("generate", "gate:python", "gate:node", "e2e")
    done = project.doit(*words)
    gates = {f"gate:{backend}:{service}" for backend, services in SERVICES.items() for service in services}
    proofs = {f"e2e:{service}" for services in SERVICES.values() for service in services}
    assert {name for name in done.marks if name.startswith(("gate:", "e2e:"))} == gates | proofs
    assert not done.marked("failed")
    assert {f"e2e:{name.split('/')[1]}" for name in output(project)} >= proofs
    assert set(project.doit(*words).marks.values()) == {"kept"}
