"""A store by itself, and a project with one; modules that need another project have their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.core.tide_project import LoomProject


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where a store will be."""
    return tmp_path / "store"


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    """All of it has been made once."""
    project = LoomProject(tmp_path / "harbour")
    project.doit()
    return project
