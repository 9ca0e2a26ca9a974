"""One PostgreSQL for the session, one running service for each deployable that a test asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.kit.postgres import Cluster, cluster
from tests.kit.services import Built, Service, built, running

Start = Callable[[str], Service]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    with cluster() as found:
        yield found


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    known: dict[str, Built] = {}

    def get(slug: str) -> Built:
        if slug not in known:
            known[slug] = built(slug, tmp_path_factory.mktemp(slug))
        return known[slug]

    return get


@pytest.fixture
def start(build: Callable[[str], Built], postgres: Cluster, tmp_path: Path) -> Iterator[Start]:
    """Starts a deployable with an empty database; it is stopped, cleanly, at the end of the test."""
    with ExitStack() as stack:
        yield lambda slug: stack.enter_context(running(slug, build(slug), postgres, tmp_path))
