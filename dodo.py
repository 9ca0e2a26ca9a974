"""Loom's own repository: the examples as a Loom project, and how Loom itself is checked."""

from __future__ import annotations

from loom.tasks import tasks_of

DOIT_CONFIG, task_loom = tasks_of("examples")


def task_check() -> dict[str, object]:
    """lint and type-check Loom itself"""
    return {"actions": [["ruff", "check", "."], ["mypy"]], "verbosity": 2}


def task_test() -> dict[str, object]:
    """run Loom's own tests"""
    return {"actions": [["pytest"]], "verbosity": 2}
