"""The SQL of migrations, run on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.postgres import Cluster, cluster
from tests.kit.sample import sample_context


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster() as running:
        yield running


def test_the_initial_migration_runs(server: Cluster) -> None:
    (migration,) = sample_context().migrations
    server.run(migration.sql)
    tables = server.run("SELECT table_name FROM information_schema.tables WHERE table_schema = 'seed_vault' ORDER BY 1")
    assert tables.splitlines() == [
        "donors",
        "seed_lot_donors",
        "seed_lot_readings",
        "seed_lot_trials",
        "seed_lot_trials_day_counts",
        "seed_lots",
    ]
