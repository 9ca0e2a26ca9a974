"""Another engine that people run: what one machine gives it another takes, by either of its doors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from loom.build.remote.protocol.naming import action_of
from tests.engine.remote.bazel_remote import BazelRemote, bazel_remote
from tests.engine.remote.two_machines import Machine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[BazelRemote]:
    with bazel_remote(tmp_path / "engine") as started:
        yield started


def kinds(machine: Machine) -> set[str]:
    done = machine.doit()
    assert "WARNING" not in done.text, done.text
    return set(done.marks.values())


@pytest.mark.parametrize("doors", [("http", "http"), ("grpc", "grpc"), ("http", "grpc"), ("grpc", "http")])
def test_second_machine_compiles_and_emits_nothing(tmp_path: Path, engine: BazelRemote, doors: tuple[str, str]) -> None:
    first, second = (Machine(tmp_path / f"{n}", getattr(engine, door)) for n, door in enumerate(doors))
    assert kinds(first) == {"ran"}
    assert kinds(second) == {"restored"}
    assert second.output() == first.output()


def test_entries_are_results_of_actions_to_the_engine(tmp_path: Path, engine: BazelRemote) -> None:
    """It reads what it was given, and says it in JSON."""
    machine = Machine(tmp_path / "one", engine.grpc)
    machine.doit()
    for place in sorted((machine.root / "store" / "ac").iterdir())[:3]:
        asked = Request(f"{engine.http}/ac/{action_of(place.stem).sha256}", headers={"Accept": "application/json"})
        with urlopen(asked) as answer:
            files = json.loads(answer.read())["outputFiles"]
        (entry,) = [file for file in files if file["path"] == ".loom/result.json"]
        with urlopen(f"{engine.http}/cas/{entry['digest']['hash']}") as answer:
            assert json.loads(answer.read()) == json.loads(place.read_bytes())
