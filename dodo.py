"""The example project's tasks, and Loom's own checks."""

from __future__ import annotations

import sys
from pathlib import Path

from loom.tasks import tasks_of

DOIT_CONFIG, task_loom = tasks_of(Path(__file__).parent / "examples")


def task_check() -> dict[str, object]:
    """Lint, format and types of Loom itself."""
    tools = ("ruff check", "ruff format --check", "mypy")
    return {"actions": [[sys.executable, "-m", *tool.split()] for tool in tools], "verbosity": 2}


def task_test() -> dict[str, object]:
    """All tests of Loom itself."""
    return {"actions": [[sys.executable, "-m", "pytest"]], "verbosity": 2}
