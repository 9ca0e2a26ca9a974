"""What the tests of the language server share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.lsp.models import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path)
