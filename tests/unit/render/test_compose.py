"""The compose file: valid by its schema, and every container as its operators expect."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from loom.base import Facts
from loom.lower.declarations.storages import CONNECTIONS
from loom.plan.environment import settings
from loom.plan.limits import LimitsPlan, ProbePlan
from loom.plan.model import ServiceSummary, SystemPlan
from loom.render import compose, render

SCHEMA = Path(__file__).parents[2] / "kit" / "schemas" / "compose-spec.json"
FACTS = (
    Facts(name="alpha", default_port=8000, internal_port=8000, supports=frozenset(), ready_probe=("alpha", "-c", "x")),
    Facts(name="beta", default_port=3000, internal_port=3000, supports=frozenset()),
)


def service(deployable: str, slug: str, platform: str, port: int) -> ServiceSummary:
    internal = next(fact.internal_port for fact in FACTS if fact.name == platform)
    return ServiceSummary(
        deployable=deployable,
        slug=slug,
        platform=platform,
        port=port,
        internal_port=internal,
        database=slug,
        probe=ProbePlan(ready_interval=7),
    )


HARBOUR = SystemPlan(
    system="HTTPHarbourOps",
    services=(service("berthingApi", "berthing_api", "alpha", 8000), service("user", "user", "beta", 3100)),
    wire_spec='{"types": {}}\n',
    messages="{}\n",
)
FILES = {file.path: file for file in compose(HARBOUR, FACTS)}


@pytest.fixture
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(FILES["docker-compose.yml"].text)
    return loaded


CONTAINERS = ("berthing_api", "db", "prometheus", "user")


def test_a_service_finds_its_database_as_a_model_may_say(document: dict[str, Any]) -> None:
    said = CONNECTIONS["postgres"]
    assert "postgres" in document["services"][said["service"]]["image"]
    assert document["services"]["user"]["depends_on"].keys() == {said["service"]}
    assert said["env"] in {name for item in settings(LimitsPlan(), 8000) for name in item.variables}


def check_schema(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / "docker-compose.yml"
    file.write_text(text)
    command = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(SCHEMA), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_file_is_valid_by_the_compose_schema(tmp_path: Path) -> None:
    result = check_schema(FILES["docker-compose.yml"].text, tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_schema_refuses_a_misspelt_key(tmp_path: Path) -> None:
    text = FILES["docker-compose.yml"].text.replace("cap_drop:", "cap_drops:")
    assert check_schema(text, tmp_path).returncode == 1


def test_containers_are_those_of_the_system(document: dict[str, Any]) -> None:
    assert tuple(document["services"]) == CONTAINERS
    assert document["name"] == "http-harbour-ops"
    assert "version" not in document


@pytest.mark.parametrize("name", CONTAINERS)
def test_container_is_hardened(document: dict[str, Any], name: str) -> None:
    container = document["services"][name]
    assert container["read_only"] is True
    assert container["cap_drop"] == ["ALL"]
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert container["init"] is True
    assert "/tmp" in container["tmpfs"]
    user, _, group = container["user"].partition(":")
    assert int(user) > 0
    assert int(group) > 0


@pytest.mark.parametrize("name", CONTAINERS)
def test_container_has_limits_probe_and_log_rotation(document: dict[str, Any], name: str) -> None:
    container = document["services"][name]
    assert set(container["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}
    assert {"interval", "timeout", "retries", "start_period", "start_interval"} <= set(container["healthcheck"])
    assert set(container["logging"]["options"]) == {"max-size", "max-file"}
    assert container["restart"] == "unless-stopped"
    assert container["stop_grace_period"]


@pytest.mark.parametrize("name", CONTAINERS)
def test_image_is_pinned_and_ports_stay_on_this_machine(document: dict[str, Any], name: str) -> None:
    container = document["services"][name]
    image = container.get("image", "built:here")
    assert ":" in image
    assert not image.endswith(":latest")
    assert all(port.startswith("127.0.0.1:") for port in container.get("ports", []))


def test_only_services_join_both_networks(document: dict[str, Any]) -> None:
    networks = {name: container["networks"] for name, container in document["services"].items()}
    both = ["edge", "data"]
    assert networks == {"db": ["data"], "berthing_api": both, "user": both, "prometheus": ["edge"]}
    assert document["networks"]["data"]["internal"] is True


def test_service_gets_its_database_as_a_secret_file(document: dict[str, Any]) -> None:
    container = document["services"]["berthing_api"]
    assert container["environment"]["DATABASE_URL_FILE"] == "/run/secrets/berthing_api_database_url"
    assert container["secrets"] == ["berthing_api_database_url"]
    assert container["depends_on"] == {"db": {"condition": "service_healthy"}}
    assert container["ports"] == ["127.0.0.1:${BERTHING_API_PORT:-8000}:8000"]


def test_every_secret_is_declared_and_used(document: dict[str, Any]) -> None:
    used = {name for container in document["services"].values() for name in container.get("secrets", [])}
    assert used == set(document["secrets"])
    assert all(secret["file"].startswith("./secrets/") for secret in document["secrets"].values())


def test_probe_is_the_backends_own_or_the_images(document: dict[str, Any]) -> None:
    services = document["services"]
    assert services["berthing_api"]["healthcheck"]["test"] == ["CMD", "alpha", "-c", "x"]
    assert "test" not in services["user"]["healthcheck"]


def test_services_are_asked_as_often_as_their_plans_say(document: dict[str, Any]) -> None:
    assert document["services"]["user"]["healthcheck"] == {
        "interval": "7s",
        "timeout": "3s",
        "retries": 10,
        "start_period": "30s",
        "start_interval": "1s",
    }


def test_named_volumes_are_declared(document: dict[str, Any]) -> None:
    mounts = [mount for container in document["services"].values() for mount in container.get("volumes", [])]
    named = {mount.partition(":")[0] for mount in mounts if not mount.startswith("./")}
    assert named == set(document["volumes"])
    bound = {mount.partition(":")[0][2:] for mount in mounts if mount.startswith("./")}
    assert all(any(path == name or path.startswith(f"{name}/") for path in FILES) for name in bound)


def test_prometheus_waits_for_its_profile_and_scrapes_every_service(document: dict[str, Any]) -> None:
    assert document["services"]["prometheus"]["profiles"] == ["monitoring"]
    scraped = yaml.safe_load(FILES["monitoring/prometheus.yml"].text)["scrape_configs"]
    targets = [target for job in scraped for config in job["static_configs"] for target in config["targets"]]
    assert targets == ["berthing_api:8000", "user:3000"]


def test_example_of_variables_has_each_and_no_value(document: dict[str, Any]) -> None:
    lines = [line for line in FILES[".env.example"].text.splitlines() if not line.startswith("#")]
    assert all(line.endswith("=") for line in lines)
    text = yaml.safe_dump(document)
    names = {part.split(":-")[0] for part in text.split("${")[1:]}
    assert names == {line[:-1] for line in lines}


def test_same_system_gives_the_same_bytes() -> None:
    assert compose(HARBOUR, reversed(FACTS)) == compose(HARBOUR, FACTS)


def run_script(folder: Path) -> None:
    script = folder / "create-secrets.sh"
    script.write_text(FILES["create-secrets.sh"].text)
    subprocess.run(["sh", str(script)], check=True, cwd="/")


def test_script_makes_random_secrets_once(tmp_path: Path, document: dict[str, Any]) -> None:
    run_script(tmp_path)
    made = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert set(made) == set(document["secrets"])
    password = made["berthing_api_database_password"]
    assert len(password) == 48
    assert made["berthing_api_database_url"] == f"postgresql://berthing_api:{password}@db:5432/berthing_api"
    assert len(set(made.values())) == len(made)
    run_script(tmp_path)
    assert made == {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}


def test_secrets_are_closed_to_others_but_readable_inside_a_container(tmp_path: Path) -> None:
    run_script(tmp_path)
    folder = tmp_path / "secrets"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o444}


def test_page_names_every_path_and_how_to_start() -> None:
    emitted = {file.path: file.text for file in render(HARBOUR, FACTS).files}
    page = emitted.pop("README.md")
    for path in [*emitted, "berthing_api/", "user/"]:
        assert f"`{path}`" in page or path.startswith(".loom/") or path == ".gitignore"
    assert "./create-secrets.sh && docker compose up --build --wait" in page
    assert "| user | <http://localhost:3100/docs> | `USER_PORT` |" in page
    assert "the service berthingApi (alpha)" in page


def test_ports_are_quoted_in_the_text() -> None:
    assert "- '127.0.0.1:${USER_PORT:-3100}:3000'" in FILES["docker-compose.yml"].text


def test_no_file_holds_a_password() -> None:
    for file in FILES.values():
        assert "postgresql://loom:" not in file.text
        assert "POSTGRES_PASSWORD:" not in file.text


def test_every_service_owns_its_own_database() -> None:
    script = FILES["db-init/00-create-databases.sql"].text
    assert 'CREATE DATABASE "user" OWNER "user";' in script
    assert 'REVOKE ALL ON DATABASE "user" FROM PUBLIC;' in script
    assert "`cat /run/secrets/user_database_password`" in script


def test_shared_descriptions_lie_beside_the_deployment_files() -> None:
    files = {file.path: file.text for file in render(HARBOUR, FACTS).files}
    assert files[".loom/wire-spec.json"] == HARBOUR.wire_spec
    assert files[".loom/messages.en.json"] == HARBOUR.messages
    assert set(files) == {*FILES, "README.md", ".loom/wire-spec.json", ".loom/messages.en.json"}
    assert list(files) == sorted(files)
