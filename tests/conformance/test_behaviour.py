"""What a recording cannot say: concurrency, limits, logs, metrics, a lost database, a drained shutdown."""

from __future__ import annotations

import json
import signal
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.kit import waiting
from tests.kit.postgres import Cluster, cluster
from tests.kit.services import Answer, Built, Service, running

Start = Callable[[str], Service]
Build = Callable[[str], Built]
BOTH = pytest.mark.parametrize("slug", ["python_schedule", "node_schedule"])
PROPOSALS = "/api/observing_proposals"


def post(service: Service, path: str, **members: object) -> Answer:
    return service.send("POST", path, json.dumps(members).encode())


def created(service: Service, path: str, **members: object) -> str:
    answer = post(service, path, **members)
    assert answer.status == 201, answer.body
    found: str = json.loads(answer.body)["id"]
    return found


def a_proposal(service: Service, title: str = "Dwarf galaxies") -> str:
    return created(service, PROPOSALS, title=title, principalInvestigator="A. Rubin", limit=100)


def read(service: Service, path: str) -> dict[str, Any]:
    answer = service.send("GET", path)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = json.loads(answer.body)
    return found


def told(service: Service, wanted: Callable[[dict[str, object]], bool], *, until: str) -> list[dict[str, object]]:
    """The wanted log lines, once the one called `until` is among them: a log line may follow the answer."""
    waiting.until(lambda: any(line["event"] == until for line in service.lines() if wanted(line)), f"no {until}")
    return [line for line in service.lines() if wanted(line)]


def expose(service: Service, proposal: str, seconds: int) -> Answer:
    place = {"rightAscension": 1, "declination": 2}
    return post(service, f"{PROPOSALS}/{proposal}/add_exposure", targetName="M 31", coordinates=place, seconds=seconds)


@BOTH
def test_no_update_is_lost_under_concurrent_writers(slug: str, start: Start) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    with ThreadPoolExecutor(8) as pool:
        statuses = Counter(answer.status for answer in pool.map(lambda n: expose(service, proposal, n), range(1, 25)))
    assert set(statuses) <= {204, 409}
    stored = read(service, f"{PROPOSALS}/{proposal}")
    assert len(list(stored["exposures"])) == statuses[204]
    assert stored["version"] == 1 + statuses[204]


@BOTH
def test_serializable_workflows_are_retried_or_refused_but_never_broken(slug: str, start: Start) -> None:
    service = start(slug)
    for number in range(3):
        proposal = a_proposal(service, f"Survey {number}")
        assert expose(service, proposal, 60).status == 204
        assert post(service, f"{PROPOSALS}/{proposal}/submit").status == 204

    def plan(_: int) -> int:
        night = {"nightOf": "2031-03-01T20:00:00Z", "seeing": "Good", "state": "Submitted"}
        return post(service, "/api/workflows/plan_observing_night", **night).status

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(plan, range(6))) <= {200, 409}
    answers = json.loads(service.send("GET", f"{PROPOSALS}/in_state?state=Accepted").body)
    assert [proposal["granted"] for proposal in answers] == [600, 600, 600]
    nights = read(service, "/api/observing_nights")["items"]
    assert sorted(len(night["proposals"]) for night in nights)[-1] == 3


@BOTH
def test_a_body_beyond_the_limit_is_refused(slug: str, start: Start) -> None:
    answer = start(slug).send("POST", PROPOSALS, b'{"title":"' + b"x" * 1_100_000 + b'"}')
    assert answer.status == 413
    problem = json.loads(answer.body)
    assert problem["title"] == "Content Too Large"
    assert problem["detail"] == "Request body is larger than 1048576 bytes"


@BOTH
def test_every_request_is_logged_with_its_id(slug: str, start: Start) -> None:
    service = start(slug)
    answer = service.send("GET", f"{PROPOSALS}/seven", headers={"X-Request-Id": "night-17"})
    assert answer.headers["x-request-id"] == "night-17"
    minted = service.send("GET", "/health").headers["x-request-id"]
    assert len(minted) >= 16
    for unusable in ("night 17", "n" * 129):
        assert service.send("GET", "/health", headers={"X-Request-Id": unusable}).headers["x-request-id"] != unusable
    lines = told(service, lambda line: line.get("request_id") == "night-17", until="request_end")
    ended = next(line for line in lines if line["event"] == "request_end")
    assert [line["event"] for line in lines if line["event"] in ("request_start", "request_end")] == [
        "request_start",
        "request_end",
    ]
    assert (ended["method"], ended["path"], ended["status"]) == ("GET", f"{PROPOSALS}/seven", 422)
    assert {"level", "duration_ms"} <= set(ended)


@BOTH
def test_what_happens_is_logged_under_the_names_of_the_catalog(slug: str, start: Start) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    expose(service, proposal, 0)
    expose(service, proposal, 5)
    twice = [post(service, f"{PROPOSALS}/{proposal}/submit").status for _ in range(2)]
    reviewed = post(service, "/api/workflows/review_proposal", proposal=proposal, accept=True, reason="")
    assert (twice, reviewed.status) == ([204, 409], 204), reviewed.body
    seen = Counter(str(line["event"]) for line in service.lines())
    once = ("server_starting", "server_listening", "db_connected", "migrations_complete", "aggregate_created")
    assert {name: seen[name] for name in once} == dict.fromkeys(once, 1)
    assert seen["migration_applied"] == 2
    assert (seen["domain_error"], seen["disallowed"]) == (1, 1)
    assert (seen["workflow_started"], seen["workflow_completed"]) == (1, 1)
    events = [line["event_type"] for line in service.lines() if line["event"] == "event_dispatched"]
    assert events == ["ProposalSubmitted"]


@BOTH
def test_an_event_that_a_create_raises_on_one_way_is_told_when_it_went_that_way(slug: str, start: Start) -> None:
    service = start(slug.replace("schedule", "furnaces"))
    for lit in ("false", "true"):
        body = f'{{"label":"Cupola","lit":{lit},"band":{{"lowest":2,"highest":3}},"mix":{{"copper":80,"tin":20}}}}'
        assert service.send("POST", "/api/arc_furnaces", body.encode()).status == 201
    told = [line["event_type"] for line in service.lines() if line["event"] == "event_dispatched"]
    assert told == ["BellRecast"]


@BOTH
def test_metrics_count_requests_by_route(slug: str, start: Start) -> None:
    service = start(slug)
    proposal = a_proposal(service)
    service.send("GET", f"{PROPOSALS}/{proposal}")
    expose(service, proposal, 0)
    text = service.send("GET", "/metrics").body.decode()
    route = f'route="{PROPOSALS}/{{id}}"'
    counted = [line for line in text.splitlines() if line.startswith("http_requests_total{") and route in line]
    assert [float(line.rpartition(" ")[2]) for line in counted] == [1], text
    assert "http_request_duration_seconds_bucket" in text
    assert "domain_faults_total" in text
    assert "domain_operations_total" in text


@BOTH
def test_documents_and_documentation_are_served(slug: str, start: Start, build: Build) -> None:
    service = start(slug)
    emitted = (build(slug).folder / "openapi.json").read_bytes()
    assert service.send("GET", "/openapi.json").body == emitted
    page = service.send("GET", "/docs")
    assert page.status == 200
    assert b"http://" not in page.body.replace(b"http://www.w3.org", b"")
    assert b"https://" not in page.body


@BOTH
def test_a_lost_database_is_unready_but_alive(slug: str, build: Build, tmp_path: Path) -> None:
    with cluster() as lost, running(slug, build(slug), lost, tmp_path) as service:
        lost.stop()
        assert service.send("GET", "/ready").status == 503
        assert service.send("GET", "/health").status == 200
        answer = service.send("GET", PROPOSALS)
        assert (answer.status, json.loads(answer.body)["detail"]) == (500, "internal")


@BOTH
def test_a_service_drains_before_it_stops(slug: str, build: Build, postgres: Cluster, tmp_path: Path) -> None:
    statuses: list[int] = []
    draining = threading.Event()
    with running(slug, build(slug), postgres, tmp_path) as service, ThreadPoolExecutor(4) as pool:

        def load() -> None:
            try:
                while True:
                    statuses.append(service.send("GET", PROPOSALS).status)
            except OSError:
                assert draining.is_set(), "refused before it was told to stop"

        loads = [pool.submit(load) for _ in range(4)]
        waiting.until(lambda: len(statuses) > 100 or any(each.done() for each in loads), "few answers")
        draining.set()
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(waiting.LONGEST) == 0
        for each in loads:
            each.result(waiting.LONGEST)
    assert set(statuses) == {200}
    events = [line["event"] for line in service.lines()]
    assert events.index("server_shutdown") < events.index("server_drained")


@BOTH
def test_a_changed_migration_is_refused_by_name(slug: str, build: Build, postgres: Cluster, tmp_path: Path) -> None:
    made = build(slug)
    with running(slug, made, postgres, tmp_path) as service:
        database = service.database
    changed = next((made.folder / "migrations").rglob("*.sql"))
    original = changed.read_text(encoding="utf-8")
    changed.chmod(0o644)
    changed.write_text(original + "-- edited\n", encoding="utf-8")
    try:
        with (
            pytest.raises(AssertionError, match=changed.name),
            running(slug, made, postgres, tmp_path, database=database),
        ):
            pass
    finally:
        changed.write_text(original, encoding="utf-8")


@BOTH
def test_a_list_costs_as_many_queries_for_fifty_rows_as_for_one(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)

    def cost() -> int:
        before = postgres.statements(service.database)
        assert service.send("GET", f"{PROPOSALS}?pageSize=100").status == 200
        return postgres.statements(service.database) - before

    expose(service, a_proposal(service), 1)
    cost()
    one = cost()
    for number in range(49):
        expose(service, a_proposal(service, f"Survey {number}"), 1)
    assert cost() == one
