"""What a system's page says to do where there are data already is what PostgreSQL does with them."""

from __future__ import annotations

import re

from loom.plan.limits import ProbePlan
from loom.plan.model import ServiceSummary, SystemPlan
from loom.render.database import INIT
from loom.render.readme import readme
from loom.render.secret_files import SCRIPT
from tests.kit.postgres import cluster

SERVICE = ServiceSummary(
    deployable="HTTPKilns",
    slug="http_kilns",
    platform="python",
    port=8000,
    internal_port=8000,
    database="http_kilns",
    probe=ProbePlan(),
)
PAGE = readme(SystemPlan(system="KilnYard", services=(SERVICE,), wire_spec="{}\n", messages="{}\n"))


def test_a_service_of_another_name_finds_its_rows_and_its_password() -> None:
    renaming = re.findall(r"-c '(.+?)'", PAGE)
    assert len(renaming) == 2
    with cluster() as server:
        server.run("CREATE ROLE \"old\" LOGIN PASSWORD 'kept'; ")
        server.run('CREATE DATABASE "old" OWNER "old"')
        server.run("CREATE TABLE kilns AS SELECT 7 AS class", "old")
        kept = server.run("SELECT rolpassword FROM pg_authid WHERE rolname = 'old'")
        for statement in renaming:
            server.run(statement)
        assert server.run("SELECT class FROM kilns", "new") == "7"
        assert server.run("SELECT rolpassword FROM pg_authid WHERE rolname = 'new'") == kept
        owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'new'"
        assert server.run(owner) == "new"


def test_a_command_of_two_lines_can_be_copied() -> None:
    assert "-d postgres \\\n        -c 'ALTER DATABASE" in PAGE


def test_the_page_names_the_files_that_there_are() -> None:
    assert f"/docker-entrypoint-initdb.d/{INIT.removeprefix('db-init/')}" in PAGE
    assert PAGE.count(f"./{SCRIPT} && docker compose up --wait --force-recreate db") == 2
