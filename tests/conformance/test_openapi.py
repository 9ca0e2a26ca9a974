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


# The more operations a service has, the fewer requests for each.
EXAMPLES = {
    **dict.fromkeys(("python_schedule", "node_schedule", "python_furnaces", "node_furnaces"), 15),
    **dict.fromkeys(("schedule_service", "registry_service", "python_foundry", "node_foundry"), 5),
}


@pytest.mark.parametrize(("slug", "examples"), EXAMPLES.items())
def test_a_service_keeps_to_its_description(
    slug: str, examples: int, start: Callable[[str], Service], tmp_path: Path
) -> None:
    done = fuzz(start(slug), tmp_path, examples=examples)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
