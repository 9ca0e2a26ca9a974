"""What others do to a running service: they end its connections, hold its locks, delete first, tell it to stop."""

from __future__ import annotations

import http.client
import json
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.kit.postgres import Cluster
from tests.kit.services import Answer, Built, Service, await_ready, running, started
from tests.kit.waiting import LONGEST, until

Start = Callable[[str], Service]
Build = Callable[[str], Built]
BOTH = pytest.mark.parametrize("slug", ["python_schedule", "node_schedule"])
PROPOSALS = "/api/observing_proposals"
FURNACES = "/api/arc_furnaces"
TABLE = '"night_schedule"."observing_proposals"'
WAITING = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def post(service: Service, path: str, **members: object) -> Answer:
    return service.send("POST", path, json.dumps(members).encode())


def a_proposal(service: Service) -> str:
    answer = post(service, PROPOSALS, title="Dwarf galaxies", principalInvestigator="A. Rubin")
    assert answer.status == 201, answer.body
    found: str = json.loads(answer.body)["id"]
    return f"{PROPOSALS}/{found}"


def logged(service: Service, event: str) -> dict[str, object]:
    """The first line of that event, once there is one."""
    until(lambda: any(line["event"] == event for line in service.lines()), f"no {event}")
    return next(line for line in service.lines() if line["event"] == event)


def dispatched(service: Service) -> list[object]:
    return [line["event_type"] for line in service.lines() if line["event"] == "event_dispatched"]


@contextmanager
def held(postgres: Cluster, service: Service, lock: str, then: str, waiting: int = 1) -> Iterator[None]:
    """A transaction that runs `lock`, and `then` as soon as so many others wait for it."""
    script = f"""
    BEGIN; {lock}; SET LOCAL application_name = 'holder';
    DO $$ BEGIN
        FOR round IN 1..6000 LOOP
            EXIT WHEN (SELECT count(*) {WAITING}) >= {waiting};
            PERFORM pg_sleep(0.05), pg_stat_clear_snapshot();
        END LOOP;
    END $$;
    {then}"""
    with ThreadPoolExecutor(1) as pool:
        holder: Future[str] = pool.submit(postgres.run, script, service.database)
        until(lambda: holder.done() or holds(postgres, service), f"nobody holds {lock}")
        yield
        holder.result(LONGEST)


def holds(postgres: Cluster, service: Service) -> bool:
    named = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder'"
    return postgres.run(named, service.database) == "1"


@BOTH
def test_a_connection_that_ends_within_a_transaction_fails_that_request_alone(
    slug: str, start: Start, postgres: Cluster
) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    end = f"SELECT pg_terminate_backend(pid) {WAITING}; ROLLBACK"
    with held(postgres, service, f"LOCK TABLE {TABLE}", end):
        answer = post(service, f"{proposal}/retitle", title="Spiral galaxies")
    assert (answer.status, json.loads(answer.body)["detail"]) == (500, "internal")
    with held(postgres, service, f"LOCK TABLE {TABLE}", end):
        assert service.send("GET", proposal).status == 500
    assert post(service, f"{proposal}/retitle", title="Spiral galaxies").status == 204


@BOTH
def test_what_is_rolled_back_is_told_to_nobody(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    place = {"rightAscension": 1, "declination": 2}
    post(service, f"{proposal}/add_exposure", targetName="M 31", coordinates=place, seconds=60)
    end = f"SELECT pg_terminate_backend(pid) {WAITING}; ROLLBACK"
    with held(postgres, service, f"SELECT FROM {TABLE} FOR UPDATE", end):
        assert post(service, f"{proposal}/submit").status == 500
    assert dispatched(service) == []
    assert json.loads(service.send("GET", proposal).body)["state"] == "Draft"
    assert post(service, f"{proposal}/submit").status == 204
    assert dispatched(service) == ["ProposalSubmitted"]


@BOTH
def test_health_that_is_lost_and_comes_back_is_logged_once_it_does(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)
    closed = f'ALTER DATABASE "{service.database}" ALLOW_CONNECTIONS'
    postgres.run(
        f"{closed} false; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{service.database}'"
    )
    assert service.send("GET", "/ready").status == 503
    assert logged(service, "health_degraded")["level"] == "warn"
    postgres.run(f"{closed} true")
    assert [service.send("GET", "/ready").status for _ in range(2)] == [200, 200]
    told = [(line["level"], line["event"]) for line in service.lines() if str(line["event"]).startswith("health_")]
    assert told == [("warn", "health_degraded"), ("info", "health_ok")]


@BOTH
def test_connections_that_end_while_idle_are_replaced(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    postgres.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}", service.database)
    statuses = [service.send("GET", proposal).status for _ in range(20)]
    assert statuses[-1] == 200
    assert service.process.poll() is None


@BOTH
def test_a_transaction_that_lost_is_run_again_and_says_why(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    place = {"rightAscension": 1, "declination": 2}
    post(service, f"{proposal}/add_exposure", targetName="M 31", coordinates=place, seconds=60)
    assert post(service, f"{proposal}/submit").status == 204
    night = {"nightOf": "2031-03-01T20:00:00Z", "seeing": "Good", "state": "Submitted"}
    with held(postgres, service, f"UPDATE {TABLE} SET abstract = 'seen'", "COMMIT"):
        assert post(service, "/api/workflows/plan_observing_night", **night).status == 200
    line = logged(service, "tx_retry")
    assert (line["level"], line["attempt"], line["sqlstate"]) == ("warn", 1, "40001")
    assert line["request_id"]
    stored = json.loads(service.send("GET", proposal).body)
    assert (stored["abstract"], stored["granted"]) == ("seen", 600)
    assert dispatched(service) == ["ProposalSubmitted", "NightPlanned"]


def change_under_lock(
    service: Service, postgres: Cluster, table: str, column: str, path: str, **members: object
) -> int:
    """What a change is answered that waits for another of the same row, which leaves the version as it is."""
    with held(postgres, service, f"UPDATE {table} SET {column} = 'seen'", "COMMIT"):
        return post(service, path, **members).status


@BOTH
def test_without_a_level_a_transaction_sees_what_others_committed(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)
    retitle = f"{a_proposal(service)}/retitle"
    assert change_under_lock(service, postgres, TABLE, "abstract", retitle, title="Spiral galaxies") == 204


@pytest.mark.parametrize("slug", ["python_furnaces", "node_furnaces"])
def test_transactions_that_name_no_level_have_that_of_their_context(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)
    band = {"lowest": 1, "highest": 2}
    made = post(service, FURNACES, label="small", lit=False, mix={"copper": 60, "tin": 40, "melts": None}, band=band)
    assert made.status == 201, made.body
    relight = f"{FURNACES}/{json.loads(made.body)['id']}/relight"
    assert change_under_lock(service, postgres, '"furnace_room"."arc_furnaces"', "label", relight, lit=True) == 409
    assert post(service, relight, lit=True).status == 204


@BOTH
def test_of_those_who_delete_at_once_one_does_and_the_others_find_nothing(
    slug: str, start: Start, postgres: Cluster
) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    with (
        ThreadPoolExecutor(3) as pool,
        held(postgres, service, f"SELECT FROM {TABLE} FOR UPDATE", "COMMIT", waiting=3),
    ):
        answers = list(pool.map(lambda _: service.send("DELETE", proposal).status, range(3)))
    assert sorted(answers) == [204, 404, 404]


@pytest.mark.parametrize(
    "slugs",
    [
        ["python_schedule"] * 3,
        ["node_schedule"] * 3,
        ["python_schedule", "node_schedule"],
        ["python_furnaces"] * 3,
        ["python_furnaces", "node_furnaces"],
    ],
)
def test_of_those_that_start_at_once_one_migrates(
    slugs: list[str], build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    database = f"crowded_{'_'.join(slugs)}"
    postgres.run(f"CREATE DATABASE {database}")
    with ExitStack() as stack:
        services = []
        for number, slug in enumerate(slugs):
            folder = tmp_path / str(number)
            folder.mkdir()
            services.append(stack.enter_context(started(slug, build(slug), postgres, folder, database=database)))
        for service in services:
            await_ready(service)
        events = [line["event"] for service in services for line in service.lines()]
    assert (events.count("migration_applied"), events.count("migrations_complete")) == (2, len(slugs))


@BOTH
def test_a_migration_that_fails_says_why(slug: str, build: Build, postgres: Cluster, tmp_path: Path) -> None:
    database = f"taken_{slug}"
    postgres.run(f"CREATE DATABASE {database}")
    postgres.run(f'CREATE SCHEMA "night_schedule"; CREATE TABLE {TABLE} ()', database)
    with (
        pytest.raises(AssertionError) as failure,
        running(slug, build(slug), postgres, tmp_path, database=database),
    ):
        pass
    lines = [json.loads(line) for line in str(failure.value).splitlines() if line.startswith("{")]
    failed = next(line for line in lines if line["event"] == "migration_failed")
    assert "already exists" in failed["error"]


@BOTH
def test_operations_and_faults_are_counted_under_the_same_names(slug: str, start: Start) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    post(service, f"{proposal}/retitle", title="Spiral galaxies")
    post(service, f"{proposal}/grant", seconds=1)
    text = service.send("GET", "/metrics").body.decode()
    assert [line for line in text.splitlines() if line.startswith("# HELP")] == [
        "# HELP http_requests_total Requests answered.",
        "# HELP http_request_duration_seconds Time from the first byte of a request to its answer.",
        "# HELP domain_operations_total Operations that were carried out.",
        "# HELP domain_faults_total Requests that were refused, by the kind of refusal.",
    ]
    counted = {line.rpartition(" ")[0] for line in text.splitlines() if line.startswith("domain_")}
    assert counted == {
        'domain_operations_total{aggregate="ObservingProposal",op="retitle"}',
        'domain_faults_total{kind="disallowed"}',
    }


@BOTH
def test_a_service_that_is_told_to_stop_is_unready_and_still_answers(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    with running(slug, build(slug), postgres, tmp_path, drain=600) as service:
        kept = http.client.HTTPConnection("127.0.0.1", service.port, timeout=LONGEST)
        kept.request("GET", PROPOSALS)
        assert kept.getresponse().read()
        service.process.send_signal(signal.SIGTERM)
        logged(service, "server_shutdown")
        assert service.send("GET", "/ready").status == 503
        assert service.send("GET", "/health").status == 200
        a_proposal(service)
        kept.request("GET", PROPOSALS)
        answer = kept.getresponse()
        assert (answer.status, answer.getheader("connection")) == (200, "close")
    # Told again, as `running` does at the end, it waits no longer.
    assert logged(service, "server_drained")
