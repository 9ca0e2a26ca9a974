"""Kills, restarts, rivals and crowds: what was acknowledged is stored, once, and no answer is beside the contract."""

from __future__ import annotations

import http.client
import json
import signal
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.kit.postgres import Cluster, cluster
from tests.kit.services import Answer, Built, Service, await_ready, running, started
from tests.kit.waiting import LONGEST, until

Start = Callable[[str], Service]
Build = Callable[[str], Built]
BOTH = pytest.mark.parametrize("slug", ["python_foundry", "node_foundry"])
STOCKS = "/api/metal_stocks"
TABLE = '"bell_casting"."metal_stocks"'
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
CROWD = 50


def post(service: Service, path: str, headers: dict[str, str] | None = None, **members: object) -> Answer:
    return service.send("POST", path, json.dumps(members).encode(), headers)


def a_stock(service: Service, weight: int = 0) -> str:
    answer = post(service, STOCKS, weight=weight)
    assert answer.status == 201, answer.body
    return f"{STOCKS}/{json.loads(answer.body)['id']}"


def weight_of(service: Service, stock: str) -> tuple[int, int]:
    found = json.loads(service.send("GET", stock).body)
    return found["weight"], found["version"]


def await_created(postgres: Cluster, service: Service, count: int = 100) -> None:
    """Until there are so many stocks more than now."""
    stored = f"SELECT count(*) FROM {TABLE}"
    wanted = int(postgres.run(stored, service.database)) + count
    until(lambda: int(postgres.run(stored, service.database)) >= wanted, "too few stocks are made")


def crowd(count: int, act: Callable[[int], Answer]) -> Counter[int]:
    with ThreadPoolExecutor(count) as pool:
        return Counter(answer.status for answer in pool.map(act, range(count)))


def locked(postgres: Cluster, service: Service) -> AbstractContextManager[None]:
    """Nobody changes the table until the end of the block."""
    return postgres.holding(f"LOCK TABLE {TABLE}", service.database)


def await_waiting(postgres: Cluster, service: Service) -> None:
    """Until somebody waits for a lock."""
    until(lambda: postgres.run(WAITING, service.database) != "0", "nobody waits for a lock")


def exhausted(service: Service) -> list[dict[str, object]]:
    return [line for line in service.lines() if line["event"] == "db_pool_exhausted"]


@BOTH
def test_of_many_who_know_one_version_one_changes_it(slug: str, start: Start) -> None:
    service = start(slug)
    stock = a_stock(service)
    answers = crowd(CROWD, lambda _: post(service, f"{stock}/pour", {"If-Match": '"1"'}, weight=1))
    assert answers == {204: 1, 409: CROWD - 1}
    assert weight_of(service, stock) == (1, 2)


@BOTH
def test_of_many_who_know_no_version_each_counts_once_or_is_told(slug: str, start: Start) -> None:
    service = start(slug)
    stock = a_stock(service)
    answers = crowd(CROWD, lambda _: post(service, f"{stock}/pour", weight=1))
    assert set(answers) <= {204, 409}
    assert weight_of(service, stock) == (answers[204], 1 + answers[204])


@BOTH
def test_opposite_moves_at_once_lose_nothing(slug: str, start: Start) -> None:
    service = start(slug)
    one, other = (a_stock(service, 1000).rpartition("/")[2] for _ in range(2))

    def move(number: int) -> Answer:
        source, target = (one, other) if number % 2 else (other, one)
        return post(service, "/api/workflows/move_metal", source=source, target=target, weight=1)

    answers = crowd(CROWD, move)
    assert set(answers) <= {204, 409}
    weights = [weight_of(service, f"{STOCKS}/{each}") for each in (one, other)]
    assert sum(weight for weight, _ in weights) == 2000
    assert [version for _, version in weights] == [1 + answers[204]] * 2


@BOTH
def test_of_many_who_take_one_name_one_gets_it(slug: str, start: Start) -> None:
    service = start(slug)
    answers = crowd(CROWD, lambda _: post(service, "/api/clay_moulds", name="great bell"))
    assert answers == {201: 1, 409: CROWD - 1}
    assert json.loads(service.send("GET", "/api/clay_moulds").body)["total"] == 1


@BOTH
def test_more_requests_than_connections_wait_their_turn(slug: str, start: Start, postgres: Cluster) -> None:
    service = start(slug)
    with ThreadPoolExecutor(1) as pool:
        with locked(postgres, service):
            answers = pool.submit(crowd, CROWD, lambda _: post(service, STOCKS, weight=1))
            until(lambda: exhausted(service) != [], "no request waits for a connection")
        assert answers.result(LONGEST) == {201: CROWD}
    assert json.loads(service.send("GET", STOCKS).body)["total"] == CROWD
    assert {(line["level"], line["connections"]) for line in exhausted(service)} == {("warn", 20)}


@BOTH
def test_who_gets_no_connection_in_time_is_told_so_and_takes_nobody_elses(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    told = {"LOOM_DATABASE_CONNECTIONS": "2", "LOOM_DATABASE_SECONDS": "1"}
    with running(slug, build(slug), postgres, tmp_path, environment=told) as service:
        with ThreadPoolExecutor(6) as pool:
            with locked(postgres, service):
                due = [pool.submit(post, service, STOCKS, weight=1) for _ in range(6)]
                until(lambda: sum(each.done() for each in due) == 4, "not four are refused")
            answers = [each.result(LONGEST) for each in due]
        assert Counter(answer.status for answer in answers) == {201: 2, 500: 4}
        assert {json.loads(answer.body)["detail"] for answer in answers if answer.status == 500} == {"internal"}
        assert {line["connections"] for line in exhausted(service)} == {2}
        failed = [line["error"] for line in exhausted(service) if line["level"] == "error"]
        assert failed == ["none of 2 connections was free for 1 s"] * 4
        assert post(service, STOCKS, weight=1).status == 201


@BOTH
@pytest.mark.parametrize(("grace", "answered"), [("120", True), ("1", False)])
def test_who_is_being_answered_when_a_service_stops_has_so_long(
    slug: str, grace: str, answered: bool, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    told = {"LOOM_GRACE_SECONDS": grace}
    with running(slug, build(slug), postgres, tmp_path, environment=told) as service, ThreadPoolExecutor(1) as pool:
        with locked(postgres, service):
            due = pool.submit(post, service, STOCKS, weight=1)
            await_waiting(postgres, service)
            service.process.send_signal(signal.SIGTERM)
            if answered:
                until(lambda: "server_shutdown" in [line["event"] for line in service.lines()], "it goes on")
            else:
                assert service.process.wait(LONGEST) == 0
        answer = due.result(LONGEST)
        assert answer.status == (201 if answered else 500)
        assert answered or json.loads(answer.body)["detail"] == "internal"
    assert "server_drained" in [line["event"] for line in service.lines()]


@BOTH
def test_a_kill_before_the_commit_leaves_nothing_and_the_next_start_is_clean(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    with started(slug, build(slug), postgres, tmp_path) as service, ThreadPoolExecutor(1) as pool:
        await_ready(service)
        stock = a_stock(service)
        with locked(postgres, service):
            unanswered = pool.submit(post, service, f"{stock}/pour", weight=1)
            await_waiting(postgres, service)
            service.process.kill()
            with pytest.raises((http.client.HTTPException, OSError)):
                unanswered.result(LONGEST)
    with running(slug, build(slug), postgres, tmp_path, database=service.database) as again:
        assert weight_of(again, stock) == (0, 1)
        assert post(again, f"{stock}/pour", weight=1).status == 204
        assert weight_of(again, stock) == (1, 2)


@BOTH
def test_a_database_that_restarts_under_load_loses_and_doubles_nothing(slug: str, build: Build, tmp_path: Path) -> None:
    with cluster() as own, running(slug, build(slug), own, tmp_path) as service:
        ended = threading.Event()

        def load(_: int) -> Counter[int]:
            seen: Counter[int] = Counter()
            while not ended.is_set():
                seen[post(service, STOCKS, weight=1).status] += 1
            return seen

        with ThreadPoolExecutor(8) as pool:
            loads = [pool.submit(load, number) for number in range(8)]
            try:
                for mode in ("fast", "immediate"):
                    await_created(own, service)
                    own.restart(mode)
                await_created(own, service)
            finally:
                ended.set()
            seen = sum((each.result(LONGEST) for each in loads), Counter[int]())
        assert set(seen) <= {201, 500}
        stored = json.loads(service.send("GET", STOCKS).body)["total"]
        assert seen[201] <= stored <= seen[201] + seen[500]
        assert post(service, STOCKS, weight=1).status == 201
