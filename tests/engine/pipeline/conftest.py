"""The apiary, built once; every test gets a copy of it with a store of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.pipeline.apiary_project import ApiaryProject


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> ApiaryProject:
    """Generated once and never changed; use it for reading and copying only."""
    folder = tmp_path_factory.mktemp("built")
    project = ApiaryProject(folder / "apiary", folder / "store")
    project.doit()
    return project


@pytest.fixture
def project(built: ApiaryProject, tmp_path: Path) -> ApiaryProject:
    """A generated project that the test may change."""
    return built.copied(tmp_path / "apiary")
