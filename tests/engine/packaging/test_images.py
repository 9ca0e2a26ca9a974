"""Images of generated services are built without a network, and run as the compose file says.

The base is what the gate ran in, the packages come from `vendor/`, the database is beside the container.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from docker.models.containers import Container
from docker.models.images import Image

from loom.build.bridge.dodo import open_workspace
from loom.build.migrations.history import history_folder
from loom.build.workspace import Workspace
from loom.tasks import compiler
from tests.engine.packaging.deployment import Deployment, deploy
from tests.engine.packaging.engine import Engine
from tests.engine.packaging.vendoring import fill_vendor, lay_project
from tests.kit.postgres import cluster
from tests.kit.services import EXAMPLES

SYSTEM = "twin"  # every deployable hosts every context
OFFLINE = {"python": {"PIP_NO_INDEX": "1"}, "node": {}}
HEALTHY_SECONDS = 60


class Packed(NamedTuple):
    """A deployable, its image, and its part of the compose file."""

    slug: str
    backend: str
    image: Image
    service: dict[str, Any]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.clean()


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return open_workspace(EXAMPLES, compiler)


@pytest.fixture(scope="module")
def deployment(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with cluster() as database:
        yield deploy(workspace, SYSTEM, tmp_path_factory.mktemp("deployment"), database)


@pytest.fixture(scope="module", params=sorted(OFFLINE))
def packed(
    request: pytest.FixtureRequest,
    engine: Engine,
    workspace: Workspace,
    deployment: Deployment,
    tmp_path_factory: pytest.TempPathFactory,
) -> Packed:
    backend: str = request.param
    slug = next(one for one, name, system in workspace.outline.deployables if (name, system) == (backend, SYSTEM))
    folder = tmp_path_factory.mktemp(backend)
    project = lay_project(workspace, slug, folder / "project")
    fill_vendor(workspace, backend, project)
    base = engine.base(backend, workspace.content, folder)
    image = engine.image(project, {"BASE": base, **OFFLINE[backend]})
    return Packed(slug, backend, image, deployment.service(slug))


@pytest.fixture
def container(packed: Packed, engine: Engine, deployment: Deployment) -> Iterator[Container]:
    environment = {**packed.service["environment"], "LOG_LEVEL": "info"}
    with engine.running(packed.image, packed.service, environment, deployment.mounts(packed.slug)) as running:
        yield running


def there(container: Container, folder: str, *names: str) -> list[str]:
    return [name for name in names if asked(container, ["ls", f"{folder}/{name}"]) == 0]


def asked(container: Container, command: list[str]) -> int:
    status = container.exec_run(command).exit_code
    assert status is not None
    return status


def await_ready(container: Container, command: list[str]) -> None:
    deadline = time.monotonic() + HEALTHY_SECONDS
    while asked(container, command) != 0:
        container.reload()
        assert container.status == "running", container.logs().decode()
        assert time.monotonic() < deadline, container.logs().decode()
        time.sleep(0.2)


def health(container: Container) -> str:
    container.reload()
    status: str = container.attrs["State"]["Health"]["Status"]
    return status


def test_service_runs_as_its_compose_file_says(packed: Packed, container: Container) -> None:
    command = probe(packed)
    await_ready(container, command)
    assert asked(container, [word.replace("/ready", "/nowhere") for word in command]) != 0  # it can say no

    deadline = time.monotonic() + HEALTHY_SECONDS
    while health(container) == "starting" and time.monotonic() < deadline:
        time.sleep(0.2)
    assert health(container) == "healthy", container.attrs["State"]["Health"]

    user = packed.service["user"]
    assert packed.image.attrs["Config"]["User"] == user
    assert asked(container, ["sh", "-c", f'[ "$(id -u):$(id -g)" = {user} ]']) == 0
    assert asked(container, ["touch", "/tmp/something"]) == 0
    assert asked(container, ["touch", "something"]) != 0  # the root is read-only

    container.stop(timeout=int(packed.service["stop_grace_period"].removesuffix("s")))
    container.reload()
    # It ended by itself: one that has to be killed has another code.
    assert container.attrs["State"]["ExitCode"] == 0, container.logs().decode()


def test_ledger_has_the_names_of_the_recorded_histories(
    packed: Packed, container: Container, deployment: Deployment, workspace: Workspace
) -> None:
    await_ready(container, probe(packed))
    hosted = [unit.partition("/") for unit in workspace.products.units("context")]
    folders = {history_folder(Path(), system, context).name for system, _, context in hosted if system == SYSTEM}
    ledger = f"""\\connect "{packed.slug}"\nSELECT DISTINCT "context" FROM "public"."__loom_migrations";"""
    assert folders
    assert set(deployment.database.run(ledger).splitlines()) == folders


def test_image_leaves_out_what_does_not_run(packed: Packed, container: Container) -> None:
    folder = packed.image.attrs["Config"]["WorkingDir"]
    assert asked(container, ["ls", f"{folder}/migrations"]) == 0
    assert there(container, folder, "vendor", "src", "test", "tests", "README.md", "requirements.lock") == []
    packages = {"python": "/packages", "node": f"{folder}/node_modules"}[packed.backend]
    runtime = {"python": ["fastapi", "psycopg"], "node": ["hono", "pg"]}[packed.backend]
    assert there(container, packages, *runtime) == runtime
    assert there(container, packages, "mypy", "pytest", "typescript", "vitest", "@biomejs/biome") == []


def test_service_enters_its_own_database_alone(packed: Packed, deployment: Deployment) -> None:
    url = (deployment.folder / "secrets" / f"{packed.slug}_database_url").read_text()
    others = [name for name in deployment.document["services"] if "build" in deployment.service(name)]
    assert len(others) > 1
    for name in others:
        entered = psql(url.replace(f"/{packed.slug}?", f"/{name}?"))
        assert (entered.returncode == 0) == (name == packed.slug), entered.stderr
    wrong = psql(re.sub(":[0-9a-f]{48}@", ":guess@", url))
    assert "password authentication failed" in wrong.stderr


def psql(url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["psql", url, "-c", "SELECT 1"], capture_output=True, text=True, check=False)


def probe(packed: Packed) -> list[str]:
    """The command by which compose asks whether the service is ready."""
    kind, *command = packed.service["healthcheck"]["test"]
    assert kind == "CMD"
    return [str(word) for word in command]
