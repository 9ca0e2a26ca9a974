"""A server that runs what it is asked to, until a test has it lie; modules with other servers have their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.remote.talker import Talker, talker
from tests.engine.remote.worker import begun, honest, says


@pytest.fixture
def server() -> Iterator[Talker]:
    with talker() as server:
        server.executes = says(begun(), honest(server).operation())
        yield server
