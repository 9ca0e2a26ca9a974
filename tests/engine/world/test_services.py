"""What end-to-end roots hold: PostgreSQL, a driver's Python and the backend's runtime, on the action's own loopback."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from loom.build.sandbox.job import Exit, Job
from tests.engine.world.world_kit import ISOLATING, Kind, action, the_root, the_sandbox, the_store

BOOT = """
set -e
bin=/usr/lib/postgresql/15/bin
$bin/initdb -D /tmp/data -A trust -U loom --no-sync -E UTF8 --locale=C > /dev/null
settings="-p 5432 -k /tmp -c listen_addresses=127.0.0.1 -c fsync=off"
$bin/pg_ctl -D /tmp/data -l /tmp/log -o "$settings" -w start > /dev/null
$bin/psql -h localhost -U loom -d postgres -Atc "select timestamptz '2026-07-01 12:00 Europe/Berlin' at time zone 'UTC'"
"""


def run_in(kind: Kind, root: str, *argv: str) -> Exit:
    sandbox, found = the_sandbox(kind), the_root(root)
    work = the_store().root / "work"
    work.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=work, prefix="service-"))
    (scratch / "out").mkdir()
    return sandbox.run(Job(action(*argv), found.folder, found.identity, {}, scratch / "out", scratch))


@pytest.mark.parametrize("kind", ISOLATING)
@pytest.mark.parametrize("root", ["e2e-python", "e2e-node"])
def test_database_starts_on_the_loopback_and_knows_time_zones(kind: Kind, root: str) -> None:
    ran = run_in(kind, root, "/bin/sh", "-c", BOOT)
    assert (ran.code, ran.stdout.decode().strip()) == (0, "2026-07-01 10:00:00"), ran.stderr


@pytest.mark.parametrize("kind", ISOLATING)
@pytest.mark.parametrize(("root", "argv"), [("e2e-python", ("python3", "-V")), ("e2e-node", ("node", "-v"))])
def test_runtime_is_there(kind: Kind, root: str, argv: tuple[str, ...]) -> None:
    assert run_in(kind, root, *argv).code == 0
    assert run_in(kind, root, "python3", "-c", "import json, urllib.request").code == 0
