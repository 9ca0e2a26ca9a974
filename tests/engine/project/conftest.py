"""Output folders: one that is not there yet, and one that Loom has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.build.output.content import OutputFolder
from tests.engine.project.berths import BERTHS, content, write_output


@pytest.fixture
def folder(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path / "out" / "harbour", tmp_path / ".loom" / "output" / "harbour.marshal")


@pytest.fixture
def written(folder: OutputFolder) -> OutputFolder:
    write_output(folder, content(BERTHS))
    return folder
