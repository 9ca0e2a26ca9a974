"""Boots one built service beside a real PostgreSQL and runs a script of requests against it.

In: `--script FILE --report FILE -- argv…` of the service. Out: a report (JSON), and on standard error a line for
each scenario that failed; exit status 0 when all held and the service drained on SIGTERM, else 1.
Runs inside the sandbox with nothing but the standard library and PostgreSQL's own programs.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from loom.e2e.driver.script import ScenarioFailure, Step, run_scenario

POSTGRES = Path("/usr/lib/postgresql/15/bin")
DATABASE_PORT = 5432
SERVICE_PORT = 8080
BOOT_SECONDS = 60
STOP_SECONDS = 30
STEP = 0.05


class Scenario(TypedDict):
    name: str
    steps: list[Step]


@contextmanager
def database(folder: Path) -> Iterator[None]:
    """A fresh PostgreSQL on loopback, for as long as the block runs."""
    data, sockets = folder / "data", folder / "sockets"
    sockets.mkdir(parents=True)
    run("initdb", "-D", data, "-A", "trust", "-U", "loom", "--no-sync", "-E", "UTF8", "--locale=C")
    settings = f"-p {DATABASE_PORT} -k {sockets} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=50"
    run("pg_ctl", "-D", data, "-l", folder / "postgres.log", "-o", settings, "-w", "start")
    try:
        yield
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")


def run(program: str, *arguments: str | Path) -> None:
    # pg_ctl leaves the server behind with our standard output, so a pipe would never end
    quiet = subprocess.DEVNULL
    argv = [str(POSTGRES / program), *map(str, arguments)]
    if subprocess.run(argv, stdin=quiet, stdout=quiet).returncode:
        raise ScenarioFailure(f"{program} failed")


def database_url(name: str) -> str:
    """A new database, and its URL."""
    run("psql", "-h", "127.0.0.1", "-U", "loom", "-d", "postgres", "-qc", f'CREATE DATABASE "{name}"')
    return f"postgresql://loom@127.0.0.1:{DATABASE_PORT}/{name}"


@contextmanager
def service(argv: list[str], url: str, log: Path) -> Iterator[None]:
    """The service, ready; after the block it must drain on SIGTERM and exit with status 0."""
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "PORT": str(SERVICE_PORT),
        "LOG_LEVEL": "info",
        "LOOM_DRAIN_SECONDS": "0",
    }
    with log.open("wb") as sink:
        process = subprocess.Popen(argv, env=environment, stdout=sink, stderr=subprocess.STDOUT)
    try:
        await_ready(process, log)
        yield
        process.send_signal(signal.SIGTERM)
        if status := ended(process, STOP_SECONDS):
            raise ScenarioFailure(f"the service exited with status {status} on SIGTERM:\n{tail(log)}")
        if status is None:
            raise ScenarioFailure(f"the service did not stop within {STOP_SECONDS} seconds:\n{tail(log)}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def await_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + BOOT_SECONDS
    while time.monotonic() < deadline:
        if (status := ended(process, STEP)) is not None:
            raise ScenarioFailure(f"the service stopped with status {status} at boot:\n{tail(log)}")
        if send("GET", "/ready", None)[0] == 200:
            return
    raise ScenarioFailure(f"the service was not ready within {BOOT_SECONDS} seconds:\n{tail(log)}")


def ended(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Its status, if it ends within so long.

    `time.sleep`, and so `Popen.wait`, fails with the library that turns the clock for `loom verify --rebuild`.
    kept by tests/engine/housekeeping/test_rebuild.py::test_all_of_the_examples_are_the_same_again
    """
    deadline = time.monotonic() + seconds
    while (status := process.poll()) is None and time.monotonic() < deadline:
        select.select([], [], [], STEP)
    return status


def tail(log: Path, lines: int = 40) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def send(method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
    """Status and body of the answer; status 0 when nothing listens."""
    headers = {} if body is None else {"content-type": "application/json"}
    request = Request(f"http://127.0.0.1:{SERVICE_PORT}{path}", body, headers, method=method)
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except HTTPError as refusal:
        return refusal.code, refusal.read()
    except (URLError, ConnectionError, TimeoutError):
        return 0, b""


def outcomes(script: dict[str, list[Scenario]], argv: list[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Name of each scenario and what failed (empty: nothing); each has a database of its own."""
    for number, scenario in enumerate(script["scenarios"]):
        failed = ""
        try:
            with service(argv, database_url(f"scenario_{number}"), folder / f"service_{number}.log"):
                run_scenario(scenario["steps"], send)
        except ScenarioFailure as failure:
            failed = str(failure)
        yield scenario["name"], failed


def main(arguments: list[str]) -> int:
    split = arguments.index("--")
    options, argv = dict(zip(arguments[:split:2], arguments[1:split:2], strict=True)), arguments[split + 1 :]
    script = json.loads(Path(options["--script"]).read_text(encoding="utf-8"))
    folder = Path("/tmp/e2e")
    with database(folder):
        found = list(outcomes(script, argv, folder))
    report = {"scenarios": [{"name": name, "passed": not failed} for name, failed in found]}
    Path(options["--report"]).write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, failed in found:
        sys.stderr.write(f"FAILED {name}: {failed}\n" if failed else f"passed {name}\n")
    return 1 if any(failed for _, failed in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
