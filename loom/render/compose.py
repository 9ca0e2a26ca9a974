"""A system as a compose file, with all that `docker compose up` needs beside it.

In: a `SystemPlan` and the facts of the backends. Out: files. Never: YAML as text, a password, a backend's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from loom.base import Facts, kebab, words
from loom.emit import File
from loom.plan.model import ServiceSummary, SystemPlan
from loom.render.containers import Data, container, limits, probe, published
from loom.render.database import ADMINISTRATOR_SECRET, INIT, database, init_script, password_secret, url_secret
from loom.render.monitoring import CONFIGURATION, prometheus, prometheus_configuration
from loom.render.secret_files import SCRIPT, environment_example, port_variable, secrets_script
from loom.render.yaml_text import yaml_text

_COMMENT = f"""\
Start with: ./{SCRIPT} && docker compose up --build --wait
Metrics on port 9090: docker compose --profile monitoring up --wait
Loom owns this file; put changes into docker-compose.override.yml, which it never touches."""
_USER = "10001:10001"


def compose(system: SystemPlan, facts: Iterable[Facts]) -> tuple[File, ...]:
    """The deployment files of `system`, sorted by path."""
    services = system.services
    document = compose_document(system, {fact.name: fact for fact in facts})
    files = (
        File(path="docker-compose.yml", text=yaml_text(document, _COMMENT)),
        File(path=INIT, text=init_script(services)),
        File(path=SCRIPT, text=secrets_script(services), executable=True),
        File(path=".env.example", text=environment_example(services)),
        File(path=".gitignore", text="/secrets/\n/.env\n"),
        File(path=CONFIGURATION, text=yaml_text(prometheus_configuration(services))),
    )
    return tuple(sorted(files, key=lambda file: file.path))


def compose_document(system: SystemPlan, facts: Mapping[str, Facts]) -> Mapping[str, Data]:
    """The compose file as data."""
    services: dict[str, Data] = {"db": database(system.services), "prometheus": prometheus()}
    services |= {service.slug: _service(service, facts[service.platform]) for service in system.services}
    return {
        "name": kebab(words(system.system)),
        "services": dict(sorted(services.items())),
        "networks": {"edge": {"driver": "bridge"}, "data": {"driver": "bridge", "internal": True}},
        "volumes": {"pgdata": {}, "prometheus-data": {}},
        "secrets": {name: {"file": f"./secrets/{name}"} for name in _secrets(system.services)},
    }


def _service(service: ServiceSummary, facts: Facts) -> Mapping[str, Data]:
    secret = url_secret(service)
    test = ["CMD", *facts.ready_probe] if facts.ready_probe else []
    fixed: Mapping[str, Data] = {
        "build": {"context": f"./{service.slug}"},
        "user": _USER,
        "stop_grace_period": "30s",
        "environment": {"DATABASE_URL_FILE": f"/run/secrets/{secret}", "LOG_LEVEL": "${LOG_LEVEL:-info}"},
        "secrets": [secret],
        "tmpfs": ["/tmp"],
        "ports": [published(port_variable(service), service.port, service.internal_port)],
        "networks": ["edge", "data"],
        "depends_on": {"db": {"condition": "service_healthy"}},
    }
    return container(fixed, probe(test, service.probe), limits("1", "512M", 256))


def _secrets(services: Sequence[ServiceSummary]) -> list[str]:
    each = [name for service in services for name in (password_secret(service), url_secret(service))]
    return [ADMINISTRATOR_SECRET, *each]
