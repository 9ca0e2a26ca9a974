"""Each service keeps to its own `/openapi.json`: no 5xx, no undeclared status, no answer against its schema."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.services import Service

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def fuzz(service: Service, folder: Path, *, examples: int) -> subprocess.CompletedProcess[str]:
    """schemathesis against a running service, with a fixed seed."""
    argv = [
        *(str(Path(sys.executable).parent / "schemathesis"), "run", f"http://127.0.0.1:{service.port}/openapi.json"),
        *("--checks", CHECKS, "--max-examples", str(examples), "--seed", "1", "--no-color", "--continue-on-failure"),
        *("--suppress-health-check", "all", "--generation-database", "none"),
    ]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False, timeout=540)


@pytest.mark.parametrize("slug", ["python_schedule", "node_schedule", "python_furnaces", "node_furnaces"])
def test_a_service_keeps_to_its_description(slug: str, start: Callable[[str], Service], tmp_path: Path) -> None:
    done = fuzz(start(slug), tmp_path, examples=15)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
