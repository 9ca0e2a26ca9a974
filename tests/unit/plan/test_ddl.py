"""The SQL of migrations, run on a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from loom.ir.places import Places
from loom.ir.program import Containment, Part, Property
from loom.ir.types import STRING, IdType, Ref
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from tests.kit.build import EMPTY, aggregate, array, context, optional, part
from tests.kit.postgres import Cluster, cluster
from tests.kit.sample import sample_context

LONG = "measurementOfTheAverageGerminationRateInTheNorthernGreenhouseWingOfTheGarden"


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


def deep(level: int) -> tuple[Part, ...]:
    """Parts in parts, each with a name that is too long for PostgreSQL."""
    inner = (Containment(name=LONG, part=f"{LONG}{level + 1}", many=True, optional=False),) if level < 4 else ()
    here = part(f"{LONG}{level}", Property(name="class", type=STRING), contains=inner)
    return (here, *(deep(level + 1) if level < 4 else ()))


def test_names_that_are_too_long_stay_apart(server: Cluster) -> None:
    own = IdType(aggregate=Ref(context="Garden", name=LONG.capitalize()))
    fields = (
        *[Property(name=f"{LONG}{end}", type=STRING) for end in ("First", "Second")],
        Property(name=f"{LONG}Refs", type=array(own)),
        Property(name=f"{LONG}Ref", type=optional(own)),
    )
    root = aggregate(
        LONG.capitalize(),
        *fields,
        parts=deep(1),
        contains=(Containment(name="select", part=f"{LONG}1", many=True, optional=False),),
    )
    facts = ContextFacts(schema_name="garden")
    plan, problems = plan_context(context("Garden", root), EMPTY, Places(entries=()), facts, History())
    assert problems == ()
    server.run(plan.migrations[0].sql)
    names = server.run(
        "SELECT conname FROM pg_constraint WHERE connamespace = 'garden'::regnamespace UNION ALL "
        "SELECT relname FROM pg_class WHERE relnamespace = 'garden'::regnamespace UNION ALL "
        "SELECT attname FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid "
        "WHERE relnamespace = 'garden'::regnamespace AND attname LIKE 'measurement%'"
    ).splitlines()
    planned = set(re.findall(r'"([^"]+)"', plan.migrations[0].sql))
    assert {name for name in names if not name.endswith("_pkey")} <= planned
    assert max(map(len, planned)) == 63
    tables = server.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'garden'")
    assert tables == "6"
