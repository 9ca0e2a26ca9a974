"""Gates of a toy project in the machine's real sandbox, from a project's own rules."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.store.content import ContentStore
from tests.engine.core.gated_project import RULE, write_rule
from tests.engine.core.tide_project import MODEL, LoomProject
from tests.kit.places import STORE

GATES = {"gate:python:quay_api", "gate:node:berth_api"}


class Worded(LoomProject):
    """`word` keeps this run apart from earlier ones."""

    word = ""


@pytest.fixture
def project(tmp_path: Path) -> Worded:
    """The machine's store has the root."""
    project = Worded(tmp_path / "harbour", LOOM_STORE=str(STORE))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "PIP_INDEX_URL", "SSL_CERT_FILE", "HOME"):
        if name in os.environ:
            project.environment[name] = os.environ[name]
    for backend in ("python", "node"):
        write_rule(project, backend, RULE.format(backend=backend))
    project.word = secrets.token_hex(8)
    for name in ("quay", "berth"):
        project.write(name, f"{MODEL[name]}{project.word}\n")
    return project


def add(project: Worded, name: str, words: str) -> None:
    project.write(name, f"{MODEL[name]}{project.word}\n{words}\n")


def gates(project: Worded, code: int = 0) -> dict[str, str]:
    marks = project.doit("gate:python", "gate:node", code=code).marks
    return {task: mark for task, mark in marks.items() if task.startswith("gate:")}


def test_gates_run_once_and_are_restored(project: Worded) -> None:
    assert gates(project) == dict.fromkeys(GATES, "ran")
    assert gates(project) == dict.fromkeys(GATES, "kept")
    shutil.rmtree(project.root / ".loom")
    told = project.doit("gate:*")
    assert {task: mark for task, mark in told.marks.items() if task in GATES} == dict.fromkeys(GATES, "restored")
    assert "(cached) read" in told.text


def test_change_of_one_context_gates_one_deployable(project: Worded) -> None:
    gates(project)
    add(project, "quay", "ebb")
    assert gates(project) == {"gate:python:quay_api": "ran", "gate:node:berth_api": "kept"}
    add(project, "quay", "")
    assert gates(project) == {"gate:python:quay_api": "restored", "gate:node:berth_api": "kept"}


def test_failing_gate_says_why_and_is_never_cached(project: Worded) -> None:
    add(project, "quay", "typo")
    for _ in range(2):
        done = project.doit("gate:python", code=1)
        assert "gate/python, step `words`: exit code 1" in done.text
        assert "main.txt:2: error: `typo` is no word" in done.text
        assert done.marks["gate:python:quay_api"] == "failed"


def test_gate_without_end_is_stopped_and_not_cached(project: Worded) -> None:
    """However slow the machine: what never ends outlasts any limit."""
    write_rule(project, "python", RULE.format(backend="python").replace("timeout: 600", "timeout: 3"))
    add(project, "quay", "slow")
    for _ in range(2):
        assert "gate/python, step `words`: ran out of time" in project.doit("gate:python", code=1).text


def test_damaged_input_is_made_again(project: Worded) -> None:
    project.doit("emit")
    text = "\n".join(["quay_api", *sorted({"neap", "tide", "class", project.word})]) + "\n"
    store = ContentStore(STORE)
    blob = Path(store.path(store.put(text.encode()).sha256))
    blob.chmod(0o600)
    blob.write_bytes(b"x" * len(text))
    assert project.doit("gate:python").marks["gate:python:quay_api"] == "ran"
    assert store.get(Digest.of(text.encode())) == text.encode()


def test_rule_that_changes_runs_its_gate_alone(project: Worded) -> None:
    gates(project)
    rule = project.root / "rules/gate/python.yaml"
    rule.write_text(rule.read_text().replace('words")', 'words!")'))
    told = project.doit("explain", "gate:python:quay_api").text
    assert "steps[0].argv[2]" in told
    assert gates(project) == {"gate:python:quay_api": "ran", "gate:node:berth_api": "kept"}


def test_broken_rule_is_one_line(project: Worded) -> None:
    rule = project.root / "rules/gate/python.yaml"
    rule.write_text(rule.read_text().replace("toolchain: python", "toolchian: python"))
    done = project.doit("list", code=3)
    assert "toolchian" in done.text


def test_without_a_sandbox_nothing_is_shared_with_one(project: Worded) -> None:
    gates(project)
    project.environment["LOOM_SANDBOX"] = "none"
    assert gates(project) == dict.fromkeys(GATES, "ran")
