"""Whose workers are believed: who asks for signatures says whose, and who signs vouches for those he asked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.core.gated_project import gated_project
from tests.engine.core.tide_project import LoomProject
from tests.engine.remote.casd import casd
from tests.engine.remote.nginx import nginx
from tests.engine.remote.test_trust import Keys
from tests.engine.world.world_kit import the_root
from tests.kit.places import STORE

GATE = "gate:python:quay_api"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    the_root()
    with casd(tmp_path_factory.mktemp("engine") / "casd") as address:
        yield address


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path)


def copied(project: LoomProject, folder: Path, **environment: str) -> LoomProject:
    """Another checkout, of somebody who settled other things; the store is the machine's."""
    other = LoomProject(folder, LOOM_STORE=str(STORE), **environment)
    shutil.copytree(project.root, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".loom", "out"))
    return other


def entry(project: LoomProject) -> dict[str, object]:
    """Of the gate, in the store."""
    word = next(line.split()[-1] for line in project.doit("info", GATE).text.splitlines() if "key" in line)
    (place,) = (Path(project.environment["LOOM_STORE"]) / "ac").glob(f"{word[:12]}*.json")
    found: dict[str, object] = json.loads(place.read_text())
    return found


def test_executor_that_a_project_names_is_believed_by_it(tmp_path: Path, address: str, keys: Keys) -> None:
    trust = {"LOOM_REMOTE_TRUST": keys.public("main")}
    project = gated_project(tmp_path / "one", "python", LOOM_REMOTE_EXECUTOR=address, **trust)
    assert f"{GATE} (remote)" in project.doit("run", "--remote-exec", "gate:python").text
    assert entry(project)["origin"] == {"executor": address}
    assert project.doit("gate:python").marks[GATE] == "kept"
    second = copied(project, tmp_path / "two", LOOM_REMOTE_EXECUTOR=address, **trust)
    assert second.doit("gate:python").marks[GATE] == "restored"


def test_executor_of_others_is_not_believed_by_who_asks_for_signatures(
    tmp_path: Path, address: str, keys: Keys
) -> None:
    project = gated_project(tmp_path / "one", "python", LOOM_REMOTE_EXECUTOR=address)
    assert f"{GATE} (remote)" in project.doit("run", "--remote-exec", "gate:python").text
    others = {"LOOM_REMOTE_EXECUTOR": "grpc://127.0.0.1:1", "LOOM_REMOTE_TRUST": keys.public("main")}
    for name, environment in (("two", {}), ("three", others)):
        asks = {"LOOM_REMOTE_TRUST": keys.public("main"), **environment}
        assert copied(project, tmp_path / f"{name}-easy").doit("gate:python").marks[GATE] == "restored"
        strict = copied(project, tmp_path / name, **asks)
        assert strict.doit("gate:python").marks[GATE] == "ran" and "origin" not in entry(strict)
        project.doit("run", "-a", "--remote-exec", "gate:python")


def test_who_signs_vouches_for_the_workers_that_he_asked(tmp_path: Path, address: str, keys: Keys) -> None:
    with nginx(tmp_path / "web") as web:
        shared = {"LOOM_REMOTE_CACHE": web.address, "LOOM_REMOTE_UPLOAD": "always"}
        believes = {"LOOM_REMOTE_TRUST": keys.public("main"), **shared}
        signs = {"LOOM_REMOTE_SIGNING_KEY": keys.secret("main"), "LOOM_REMOTE_EXECUTOR": address}
        first = gated_project(tmp_path / "one", "python", **believes, **signs)
        assert f"{GATE} (remote)" in first.doit("run", "-a", "--remote-exec", "gate:python").text
        second = copied(first, tmp_path / "two", **believes)
        second.environment["LOOM_STORE"] = str(tmp_path / "store")
        done = second.doit("gate:python")
        assert done.marks[GATE] == "restored" and "WARNING" not in done.text
        origin = entry(second)["origin"]
        assert isinstance(origin, dict) and origin["signer"] and "executor" not in origin
