"""Names and ports that are taken before a model says anything: what stands beside its services.

In: the system and the facts of the backends. Out: diagnostics.
Never: names of deployables against each other (`hosting.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loom.base import Diagnostic, Facts, snake, words
from loom.ir import deployment
from loom.validate.hosting import host_port
from loom.validate.problems import DuplicateHostPort, DuplicateServiceSlug
from loom.validate.where import Where

SLUGS: Mapping[str, str] = {
    "db": "the database of the compose file",
    "jaeger": "the collector of traces of the compose file",
    "monitoring": "the folder of Prometheus' settings",
    "prometheus": "Prometheus of the compose file",
    "secrets": "the folder of secrets",
}
"""A slug is the name of a compose service and of a folder beside the compose file."""

PORTS: Mapping[int, str] = {9090: "Prometheus", 16686: "Jaeger"}
"""What a compose file publishes beside its services."""


def slugs(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    for item in system.deployables:
        slug = snake(words(item.name))
        if slug in SLUGS:
            yield DuplicateServiceSlug(
                at=where(item.name), case="reserved", first=SLUGS[slug], second=item.name, slug=slug
            )


def ports(system: deployment.System, facts: Mapping[str, Facts], where: Where) -> Iterator[Diagnostic]:
    for item in system.deployables:
        port = host_port(item, facts)
        if port in PORTS:
            yield DuplicateHostPort(at=where(item.name), first=PORTS[port], second=item.name, port=port)
