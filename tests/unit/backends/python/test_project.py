"""The project of the sample service, and what must not be in it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loom.backends.python import BACKEND
from loom.emit import DepsLock, emit
from tests.kit.sample import sample_service

LOCK = DepsLock(files=(("requirements.lock", "fastapi==0.165.0\n"),))


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return {file.path: file.text for file in emit(BACKEND, sample_service("python"), LOCK).files}


@pytest.fixture(scope="module")
def project(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def test_the_formatter_and_the_linter_find_nothing(project: Path) -> None:
    for command in (["format", "--diff", "."], ["check", "."]):
        told = subprocess.run([sys.executable, "-m", "ruff", *command], cwd=project, capture_output=True, text=True)
        assert told.returncode == 0, told.stdout + told.stderr


def test_emission_is_a_function_of_the_plan(files: dict[str, str]) -> None:
    assert {file.path: file.text for file in emit(BACKEND, sample_service("python"), LOCK).files} == files


def test_every_module_is_used(files: dict[str, str]) -> None:
    modules = [path.removesuffix(".py").replace("/", ".") for path in files if path.startswith("app/")]
    entries = {"app.__main__", "app.probe"}
    wanted = [name for name in modules if f"{name.replace('.', '/')}.py" in files and not name.endswith("__init__")]
    used = [name for name in wanted if any(_imports(text, name) for text in files.values())]
    assert set(wanted) - set(used) == entries


def _imports(text: str, name: str) -> bool:
    package, _, module = name.rpartition(".")
    within = rf"from {re.escape(package)} import (\([^)]*\b{module}\b|.*\b{module}\b)"
    return re.search(rf"from {re.escape(name)} import|{within}", text) is not None


def test_a_service_carries_no_function_that_nothing_calls(files: dict[str, str]) -> None:
    """The runtime's helpers are cut to what this model needs."""
    everything = "\n".join(text for path, text in files.items() if path.endswith(".py"))
    dead = [
        f"{path}:{name}"
        for path, text in files.items()
        if path.startswith("app/values/")
        for name in _functions(text)
        if len(re.findall(rf"\b{name}\b", everything)) < 2
    ]
    assert dead == []


def _functions(text: str) -> list[str]:
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def test_what_the_plan_says_is_served_as_it_is(files: dict[str, str]) -> None:
    plan = sample_service("python")
    assert files["openapi.json"] == plan.openapi
    for migration in plan.contexts[0].migrations:
        path = f"migrations/{migration.context}/{migration.version}_{migration.name}.sql"
        assert files[path] == migration.sql


def test_nasty_names_are_escaped_and_the_wire_keeps_them(files: dict[str, str]) -> None:
    aggregate, messages = files["app/domain/seed_vault/seed_lot.py"], files["app/http/seed_lot_messages.py"]
    assert "class_: OriginClass" in aggregate
    assert "from_: datetime" in aggregate
    assert '"class": seed_lot.class_' in messages
    assert 'validation_alias="RFIDTag"' in messages


def test_an_image_runs_as_nobody_and_says_how_it_is(files: dict[str, str]) -> None:
    lines = files["Dockerfile"].splitlines()
    assert lines[0].startswith("ARG BASE=")
    assert "USER 10001:10001" in lines
    assert any(line.startswith("HEALTHCHECK") for line in lines)
    assert lines[-1] == 'CMD ["python3", "-m", "app"]'
