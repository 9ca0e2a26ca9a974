"""The wheel, installed elsewhere: a person without a checkout starts, generates and is told what is wrong."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.kit.places import STORE

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    result = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{result.stderr}\n(hatchling missing? pip install hatchling)"
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package and its console script; what it depends on comes from this environment."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", str(target), str(wheel)], check=True)
    return target


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(installed), "LOOM_STORE": str(folder / "store")}
    command = [sys.executable, str(installed / "bin" / "loom"), *words]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`loom` as a person gets it: an environment of its own, the wheel, and whatever that asks for."""
    folder = tmp_path_factory.mktemp("environment") / "of its own"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", "--quiet"]
    subprocess.run([*pip, str(wheel)], check=True)
    return folder / "bin/loom"


def test_wheel_holds_rules_toolchains_grammar_and_starter(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"loom/_data/rules/gate/python.yaml", "loom/_data/toolchains/node/lock.yaml"} <= names
    assert {"loom/parse/ddd.lark", "loom/build/project/starter/gitignore"} <= names
    assert any(name.startswith("loom/backends/python/templates/") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


def test_package_in_use_is_the_installed_one(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "init")
    result = run(installed, tmp_path, "rules", "show", "gate/python")
    assert result.stdout.startswith(f"# {installed}/loom/_data/rules/gate/python.yaml\n"), result.stderr


def test_starter_generates_and_a_second_run_does_nothing(installed: Path, tmp_path: Path) -> None:
    assert run(installed, tmp_path, "init").returncode == 0
    first = run(installed, tmp_path, "generate")
    assert first.returncode == 0, first.stdout + first.stderr
    assert (tmp_path / "out/tool_shed/docker-compose.yml").is_file()
    assert (tmp_path / "out/tool_shed/shed_service/openapi.json").is_file()
    second = run(installed, tmp_path, "generate")
    assert second.returncode == 0
    *tasks, summary = second.stdout.splitlines()
    assert all(line.startswith("-- ") for line in tasks), second.stdout
    assert summary.startswith(f"{len(tasks)} up to date in ")


def test_starter_is_proven_at_once(program: Path, tmp_path: Path) -> None:
    """With the machine's own store, which has the toolchains."""
    variables = {"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(tmp_path), "LOOM_STORE": str(STORE)}

    def told(*words: str) -> str:
        command = [str(program), *words]
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "WARNING" not in done.stderr, done.stdout + done.stderr
        return done.stdout

    told("init")
    assert re.search(r"^[.=]  gate:python:shed_service$", told("gate", "python"), re.M)
    assert re.search(r"^[.=]  e2e:shed_service$", told("e2e"), re.M)
    tasks = told("run", "generate", "gate", "e2e").splitlines()[:-1]
    made = {line[3:] for line in tasks if line[:3] != "-- "}
    assert made == {"render:compose", "generate"} and "-- e2e:shed_service" in tasks


def test_stock_doit_runs_the_written_dodo(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "init")
    variables = {**os.environ, "PYTHONPATH": str(installed), "LOOM_STORE": str(tmp_path / "store")}
    command = [sys.executable, "-m", "doit", "list"]
    result = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert {"generate", "validate", "e2e"} <= {line.split()[0] for line in result.stdout.splitlines()}


def test_mistake_in_the_model_is_shown_with_its_place(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "init")
    model = tmp_path / "model/main.ddd"
    model.write_text(model.read_text().replace("label: string\n", "label: strnig\n", 1))
    result = run(installed, tmp_path, "validate")
    assert result.returncode == 1
    said = result.stdout + result.stderr
    assert "loom.unknown-type" in said
    assert "model/main.ddd:11:" in said
    assert "^" in said
    assert "`string`" in said
    assert "Traceback" not in said
