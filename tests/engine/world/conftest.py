"""Whatever server the tests of this folder started ends with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.world.world_kit import RUNNING


@pytest.fixture(scope="session", autouse=True)
def running() -> Iterator[None]:
    yield
    RUNNING.close()
