"""What operators see of a service: its series, and the reason when it does not start."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.ports import free_port
from tests.kit.postgres import Cluster
from tests.kit.services import Built, Service, running
from tests.kit.waiting import LONGEST, until

Build = Callable[[str], Built]
BOTH = pytest.mark.parametrize("slug", ["python_schedule", "node_schedule"])
SERIES = {
    "http_requests_total": ("counter", "Requests answered."),
    "http_request_duration_seconds": ("histogram", "Time from the first byte of a request to its answer."),
    "domain_operations_total": ("counter", "Operations that were carried out."),
    "domain_faults_total": ("counter", "Requests that were refused, by the kind of refusal."),
}
REFUSED = {
    "DATABASE_URL": "DATABASE_URL or DATABASE_URL_FILE must give a postgresql:// address",
    "DATABASE_URL_FILE": "DATABASE_URL_FILE must name a file that can be read",
}
PROPOSALS = "/api/observing_proposals"
TABLE = '"observing_proposals" ('
PROPOSAL = b'{"title":"Dwarf galaxies","principalInvestigator":"A. Rubin","limit":100}'


def samples(text: str) -> dict[str, float]:
    """What was counted, by series and labels; these in the order of their names."""
    found = re.findall(r"^(\w+_total)\{(.*)\} (\S+)$", text, re.MULTILINE)
    return {f"{name} {' '.join(sorted(labels.split(',')))}": float(value) for name, labels, value in found}


@BOTH
def test_series_and_their_labels_are_those_of_the_contract(slug: str, start: Callable[[str], Service]) -> None:
    service = start(slug)
    assert service.send("POST", PROPOSALS, PROPOSAL).status == 201
    assert service.send("POST", PROPOSALS, b"{").status == 400
    assert service.send("GET", "/api/nowhere").status == 404
    text = service.send("GET", "/metrics").body.decode()
    assert dict(re.findall(r"^# HELP (\w+) (.*)$", text, re.MULTILINE)) == {
        name: told for name, (_, told) in SERIES.items()
    }
    assert dict(re.findall(r"^# TYPE (\w+) (.*)$", text, re.MULTILINE)) == {
        name: kind for name, (kind, _) in SERIES.items()
    }
    timed = [line for line in text.splitlines() if "_seconds_bucket" in line and f'"{PROPOSALS}"' in line]
    buckets = [float(bound) for line in timed for bound in re.findall(r'le="([^"]*)"', line)]
    assert buckets == [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, float("inf")]
    counted = {name: value for name, value in samples(text).items() if 'route="/ready"' not in name}
    assert counted == {
        f'http_requests_total method="POST" route="{PROPOSALS}" status="201"': 1,
        f'http_requests_total method="POST" route="{PROPOSALS}" status="400"': 1,
        'http_requests_total method="GET" route="unmatched" status="404"': 1,
        'domain_faults_total kind="client_error"': 2,
    }


def browsed(service: Service, method: str, path: str, **headers: str) -> tuple[int, dict[str, str]]:
    """The status, and what a browser reads of an answer."""
    answer = service.send(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    mentioned = ("access-control-", "vary")
    return answer.status, {name: value for name, value in answer.headers.items() if name.startswith(mentioned)}


@BOTH
@pytest.mark.parametrize(
    ("allowed", "shown"), [("*", "*"), ("https://a.example, https://b.example", "https://b.example")]
)
def test_scripts_of_other_origins_read_every_answer_or_none(
    slug: str, allowed: str, shown: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    plain = {"vary": "Origin"}
    read = {**plain, "access-control-allow-origin": shown, "access-control-expose-headers": "ETag, x-request-id"}
    asked = {
        "vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        "access-control-allow-origin": shown,
        "access-control-allow-methods": "DELETE, GET, HEAD, POST",
        "access-control-max-age": "600",
    }
    ask = {"Access_Control_Request_Method": "POST"}
    made = build(slug)
    with running(slug, made, postgres, tmp_path, environment={"CORS_ORIGIN": allowed}) as service:
        for method, path, status in [
            ("GET", PROPOSALS, 200),
            ("GET", "/api/nowhere", 404),
            ("OPTIONS", PROPOSALS, 405),
        ]:
            assert browsed(service, method, path) == (status, plain)
            assert browsed(service, method, path, Origin="https://b.example") == (status, read)
        assert browsed(service, "OPTIONS", PROPOSALS, Origin="https://b.example", **ask) == (204, asked)
        headers = {**ask, "Access_Control_Request_Headers": "if-match, x-any"}
        assert browsed(service, "OPTIONS", PROPOSALS, Origin="https://b.example", **headers) == (
            204,
            {**asked, "access-control-allow-headers": "if-match, x-any"},
        )
        if allowed != "*":
            _, other = browsed(service, "GET", PROPOSALS, Origin="https://c.example")
            assert "access-control-allow-origin" not in other


@BOTH
def test_a_version_is_digits_of_any_length_in_quotes_or_not(slug: str, start: Callable[[str], Service]) -> None:
    service = start(slug)
    made = json.loads(service.send("POST", PROPOSALS, PROPOSAL).body)["id"]
    path, body = f"{PROPOSALS}/{made}/retitle", b'{"title":"Spiral galaxies"}'
    for known in ('"7"', "7", "07", "99999999999999999999"):
        assert service.send("POST", path, body, {"If-Match": known}).status == 409
    for unknown in ('"7', '7"', '""', "", "*", 'W/"7"', '"7", "8"', "-7", "seven"):
        assert service.send("POST", path, body, {"If-Match": unknown}).status == 204


LOGGED = {
    "server_starting": ("info", {"service"}),
    "db_connecting": ("info", set[str]()),
    "db_connected": ("info", set()),
    "migrations_starting": ("info", set()),
    "migration_applied": ("info", {"context", "version"}),
    "migrations_complete": ("info", set()),
    "server_listening": ("info", {"port"}),
    "request_start": ("info", {"method", "path", "request_id"}),
    "request_end": ("info", {"method", "path", "status", "duration_ms", "request_id"}),
    "aggregate_created": ("info", {"aggregate", "id", "request_id"}),
    "operation_invoked": ("info", {"aggregate", "op", "id", "request_id"}),
    "event_dispatched": ("info", {"event_type", "event_id", "request_id"}),
    "workflow_started": ("info", {"workflow", "request_id"}),
    "workflow_completed": ("info", {"workflow", "request_id"}),
    "client_error": ("warn", {"detail", "request_id"}),
    "not_found": ("warn", {"detail", "request_id"}),
    "domain_error": ("warn", {"detail", "request_id"}),
    "disallowed": ("warn", {"detail", "request_id"}),
    "forbidden": ("warn", {"detail", "request_id"}),
    "conflict": ("warn", {"detail", "request_id"}),
    "aggregate_loaded": ("debug", {"aggregate", "id", "request_id"}),
    "find_executed": ("debug", {"aggregate", "find", "request_id"}),
    "repository_save": ("debug", {"aggregate", "id", "request_id"}),
    "server_shutdown": ("info", set()),
    "db_disconnected": ("info", set()),
    "server_drained": ("info", set()),
}


@BOTH
def test_lines_of_the_log_have_the_same_fields_everywhere(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    with running(slug, build(slug), postgres, tmp_path, environment={"LOG_LEVEL": "debug"}) as service:
        made = json.loads(service.send("POST", PROPOSALS, PROPOSAL).body)["id"]
        exposure = b'{"targetName":"M 31","coordinates":{"rightAscension":1,"declination":2},"seconds":%d}'
        for seconds in (0, 5):
            service.send("POST", f"{PROPOSALS}/{made}/add_exposure", exposure % seconds)
        for _ in range(2):
            service.send("POST", f"{PROPOSALS}/{made}/submit")
        reviewed = b'{"proposal":"%s","accept":true,"reason":""}' % made.encode()
        assert service.send("POST", "/api/workflows/review_proposal", reviewed).status == 204
        assert service.send("GET", f"{PROPOSALS}/in_state?state=Accepted").status == 200
        assert service.send("POST", f"{PROPOSALS}/{made}/decline", b'{"reason":" "}').status == 403
        stale = service.send("POST", f"{PROPOSALS}/{made}/retitle", b'{"title":"New"}', {"If-Match": '"1"'})
        assert stale.status == 409, stale.body
        assert service.send("GET", f"{PROPOSALS}/00000000-0000-7000-8000-000000000000").status == 404
        assert service.send("GET", "/api/nowhere").status == 404
    lines = service.lines()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(line["time"])) for line in lines)
    shapes = [(line["event"], (line["level"], line.keys() - {"event", "level", "time"})) for line in lines]
    assert {event for event, _ in shapes} == LOGGED.keys()
    assert [(event, shape) for event, shape in shapes if LOGGED[str(event)] != shape] == []


def ended(build: Built, folder: Path, **environment: str) -> Service:
    """A service that ends by itself, with what it logged."""
    log = folder / "ended.log"
    given = {"PATH": os.environ["PATH"], "PORT": str(free_port()), **build.environment, **environment}
    with log.open("wb") as sink:
        process = subprocess.Popen(build.argv, cwd=build.folder, env=given, stdout=sink, stderr=subprocess.STDOUT)
    try:
        process.wait(LONGEST)
    finally:
        process.kill()
    return Service("", 0, log, "", process)


@BOTH
def test_an_address_that_is_not_given_is_named_in_the_log(slug: str, build: Build, tmp_path: Path) -> None:
    service = ended(build(slug), tmp_path)
    (line,) = service.lines()
    assert service.process.returncode == 1
    assert (line["event"], line["setting"]) == ("internal_error", "DATABASE_URL")
    assert line["error"] == REFUSED["DATABASE_URL"]


@BOTH
@pytest.mark.parametrize(
    ("setting", "given", "allowed"),
    [
        ("LOG_LEVEL", "warning", "debug, info, warn or error"),
        ("LOG_LEVEL", "bogus", "debug, info, warn or error"),
        ("LOG_LEVEL", "fatal", "debug, info, warn or error"),
        ("LOG_LEVEL", "INFO", "debug, info, warn or error"),
        ("PORT", "eighty", "a whole number from 0 to 65535"),
        ("PORT", "65536", "a whole number from 0 to 65535"),
        ("PORT", "0x50", "a whole number from 0 to 65535"),
        ("PORT", "+80", "a whole number from 0 to 65535"),
        ("PORT", "80.0", "a whole number from 0 to 65535"),
        ("LOOM_BODY_LIMIT", "much", "a whole number from 1"),
        ("LOOM_BODY_LIMIT", "1e6", "a whole number from 1"),
        ("LOOM_BODY_LIMIT", "1_000", "a whole number from 1"),
        ("LOOM_BODY_LIMIT", "0", "a whole number from 1"),
        ("LOOM_REQUEST_SECONDS", "0", "a whole number from 1"),
        ("LOOM_DATABASE_CONNECTIONS", "0", "a whole number from 1"),
        ("LOOM_DATABASE_SECONDS", "1.5", "a whole number from 1"),
        ("LOOM_DRAIN_SECONDS", "-1", "a whole number from 0"),
        ("LOOM_GRACE_SECONDS", "0", "a whole number from 1"),
        *[("LOOM_OPENAPI_UI", given, "true or false") for given in ("perhaps", "1", "yes", "on", "TRUE", "False")],
        ("DATABASE_URL", "mysql://loom@localhost/schedule", "a postgresql:// address"),
        ("DATABASE_URL_FILE", "/nowhere/database", "a file that can be read"),
    ],
)
def test_a_setting_that_it_cannot_start_with_is_one_line_that_says_what_it_must_be(
    slug: str, build: Build, tmp_path: Path, setting: str, given: str, allowed: str
) -> None:
    address = {} if setting == "DATABASE_URL_FILE" else {"DATABASE_URL": "postgresql://loom@localhost/schedule"}
    service = ended(build(slug), tmp_path, **{**address, setting: given})
    (line,) = service.lines()
    assert service.process.returncode == 1
    assert {name: line[name] for name in line if name != "time"} == {
        "level": "error",
        "event": "internal_error",
        "setting": setting,
        "error": REFUSED.get(setting, f"{setting} must be {allowed}"),
    }


@BOTH
def test_spaces_around_a_setting_do_not_count_and_an_empty_one_is_not_given(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    names = ("DATABASE_URL_FILE", "LOG_LEVEL", "LOOM_BODY_LIMIT", "LOOM_DRAIN_SECONDS", "LOOM_OPENAPI_UI")
    with running(slug, build(slug), postgres, tmp_path, environment=dict.fromkeys(names, " ")) as service:
        assert service.send("GET", "/docs").status == 200
        service.process.send_signal(signal.SIGTERM)
    told = {"LOG_LEVEL": " warn ", "LOOM_BODY_LIMIT": " 9\r", "LOOM_OPENAPI_UI": "false\n", "CORS_ORIGIN": ""}
    with running(slug, build(slug), postgres, tmp_path, environment=told) as service:
        assert service.send("GET", "/docs").status == 404
        assert service.send("POST", PROPOSALS, PROPOSAL).status == 413
        browser = service.send("GET", PROPOSALS, headers={"Origin": "https://elsewhere.example"})
        assert browser.headers.get("access-control-allow-origin", "") == ""
    assert {line["level"] for line in service.lines()} == {"warn"}


@BOTH
@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("debug", ["server_starting", "db_connecting", "server_shutdown"]),
        ("info", ["server_starting", "db_connecting", "server_shutdown"]),
        ("warn", []),
        ("error", []),
    ],
)
def test_each_level_is_taken_and_silences_what_lies_below(
    slug: str, level: str, told: list[str], build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    with running(slug, build(slug), postgres, tmp_path, environment={"LOG_LEVEL": level}) as service:
        assert service.send("GET", "/health").status == 200
    assert [line["event"] for line in service.lines() if line["event"] in told or not told] == told


@BOTH
def test_a_migration_that_fails_is_logged_with_the_reason_of_the_database(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    made = build(slug)
    with running(slug, made, postgres, tmp_path) as service:
        database = service.database
        assert service.send("POST", PROPOSALS, PROPOSAL).status == 201
        assert service.send("POST", PROPOSALS, PROPOSAL).status == 201
    initial = next(file for file in (made.folder / "migrations").rglob("*.sql") if TABLE in file.read_text())
    added = initial.with_name("20270101000000_titles.sql")
    schema = initial.parent.name
    added.write_text(
        f'CREATE UNIQUE INDEX "titles_uq" ON "{schema}"."observing_proposals" ("title");', encoding="utf-8"
    )
    try:
        url = f"postgresql://loom@localhost/{database}?host={postgres.folder}"
        refused = ended(made, tmp_path, DATABASE_URL=url)
    finally:
        added.unlink()
    assert refused.process.returncode == 1
    (failed,) = [line for line in refused.lines() if line["event"] == "migration_failed"]
    assert "20270101000000" in f"{failed}"
    assert "titles_uq" in f"{failed['error']}"
    assert "Dwarf galaxies" in f"{failed['error']}", "which rows are in the way"


@BOTH
def test_migrations_before_the_one_that_fails_are_applied_and_recorded(
    slug: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    made = build(slug)
    folder = max((made.folder / "migrations").iterdir())
    good, bad = folder / "20270101000000_marks.sql", folder / "20270101000001_marks.sql"
    good.write_text(
        'CREATE TABLE "marks" ("id" UUID);\n--> statement-breakpoint\nDROP TABLE "marks";', encoding="utf-8"
    )
    bad.write_text('CREATE TABLE "seen" ("id" UUID);\n--> statement-breakpoint\nDROP TABLE "marks";', encoding="utf-8")
    database = f"halfway_{slug}"
    postgres.run(f"CREATE DATABASE {database}")
    url = f"postgresql://loom@localhost/{database}?host={postgres.folder}"
    try:
        refused = ended(made, tmp_path, DATABASE_URL=url)
        bad.write_text('CREATE TABLE "seen" ("id" UUID);', encoding="utf-8")
        with running(slug, made, postgres, tmp_path, database=database) as service:
            (applied,) = [line for line in service.lines() if line["event"] == "migration_applied"]
    finally:
        good.unlink()
        bad.unlink()
    told = [(line["event"], line.get("version", line.get("migration"))) for line in refused.lines()][-2:]
    assert told == [("migration_applied", "20270101000000"), ("migration_failed", f"{folder.name}/{bad.name}")]
    assert (applied["context"], applied["version"]) == (folder.name, "20270101000001")
    columns = "SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM information_schema.columns"
    ledger = postgres.run(f"{columns} WHERE table_name = '__loom_migrations'", database)
    assert ledger == "context version sha256 applied_at"


@BOTH
def test_a_port_that_somebody_else_has_is_told(slug: str, build: Build, postgres: Cluster, tmp_path: Path) -> None:
    with running(slug, build(slug), postgres, tmp_path) as service:
        url = f"postgresql://loom@localhost/{service.database}?host={postgres.folder}"
        refused = ended(build(slug), tmp_path, DATABASE_URL=url, PORT=f"{service.port}")
    failed = refused.lines()[-1]
    assert refused.process.returncode == 1
    assert (failed["level"], failed["event"]) == ("error", "internal_error")
    assert "address already in use" in f"{failed['error']}"


@BOTH
def test_a_service_that_waits_for_its_database_stops_when_it_is_told_to(
    slug: str, build: Build, tmp_path: Path
) -> None:
    made, log = build(slug), tmp_path / "waiting.log"
    given = {"PATH": os.environ["PATH"], "DATABASE_URL": f"postgresql://loom@127.0.0.1:{free_port()}/schedule"}
    with log.open("wb") as sink:
        process = subprocess.Popen(made.argv, cwd=made.folder, env={**given, **made.environment}, stdout=sink)
    service = Service(slug, 0, log, "", process)
    try:
        until(lambda: "db_error" in [line["event"] for line in service.lines()], "it does not miss its database")
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONGEST) == 0
    finally:
        process.kill()
    assert service.lines()[-1]["event"] == "server_shutdown"
    (unreached, *_) = [line for line in service.lines() if line["event"] == "db_error"]
    assert "refused" in f"{unreached['error']}" or "ECONNREFUSED" in f"{unreached['error']}"


# Writes to standard output as a pipe would, but is told to stop in the middle of the first line with the event.
STOPPED_WHILE_WRITING = """
import io, os, signal, sys
from runpy import run_module

class Output(io.RawIOBase):
    def writable(self):
        return True

    def write(self, line):
        if not told and EVENT in bytes(line):
            told.append(line)
            signal.raise_signal(signal.SIGTERM)
        return os.write(1, line)

told, EVENT = [], os.environ["STOPPED_AT"].encode()
sys.stdout = io.TextIOWrapper(io.BufferedWriter(Output()), line_buffering=True, write_through=True)
run_module("app", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("event", ["db_connecting", "server_listening"])
def test_a_python_service_that_is_stopped_while_it_logs_loses_no_line(
    event: str, build: Build, postgres: Cluster, tmp_path: Path
) -> None:
    made, database = build("python_schedule"), f"stopped_{event}"
    postgres.run(f'CREATE DATABASE "{database}"')
    url = f"postgresql://loom@localhost/{database}?host={postgres.folder}"
    given = {"DATABASE_URL": url, "PORT": f"{free_port()}", "LOOM_DRAIN_SECONDS": "0", "STOPPED_AT": event}
    service = ended(made._replace(argv=(made.argv[0], "-c", STOPPED_WHILE_WRITING)), tmp_path, **given)
    told = [line["event"] for line in service.lines()]
    assert told.index("server_shutdown") == told.index(event) + 1
    assert service.process.returncode == 0
