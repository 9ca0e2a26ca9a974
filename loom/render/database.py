"""The PostgreSQL container, one role and one database per service.

In: the services. Out: the compose service and the script that the image runs on an empty volume.
Never: a password (each is read from a secret file when the volume is made).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loom.plan.limits import ProbePlan
from loom.plan.model import ServiceSummary
from loom.render.containers import Data, container, limits, probe

IMAGE = "postgres:18-alpine"
ADMINISTRATOR = "loom"
ADMINISTRATOR_SECRET = "db_password"
INIT = "db-init/00-create-databases.sql"
_POSTGRES_USER = 70


def password_secret(service: ServiceSummary) -> str:
    return f"{service.slug}_database_password"


def url_secret(service: ServiceSummary) -> str:
    return f"{service.slug}_database_url"


def database(services: Sequence[ServiceSummary]) -> Mapping[str, Data]:
    """The compose service `db`; it is ready only when it listens, which it does not while it fills its volume."""
    ready = ["CMD", "pg_isready", "-h", "127.0.0.1", "-U", ADMINISTRATOR, "-d", "postgres"]
    fixed: Mapping[str, Data] = {
        "image": IMAGE,
        "user": f"{_POSTGRES_USER}:{_POSTGRES_USER}",
        "stop_grace_period": "60s",
        "environment": {
            "POSTGRES_USER": ADMINISTRATOR,
            "POSTGRES_DB": "postgres",
            "POSTGRES_PASSWORD_FILE": f"/run/secrets/{ADMINISTRATOR_SECRET}",
        },
        "secrets": [ADMINISTRATOR_SECRET, *map(password_secret, services)],
        "volumes": ["pgdata:/var/lib/postgresql", "./db-init:/docker-entrypoint-initdb.d:ro"],
        "tmpfs": ["/tmp", f"/var/run/postgresql:uid={_POSTGRES_USER},gid={_POSTGRES_USER},mode=0755"],
        "shm_size": "128mb",
        "networks": ["data"],
    }
    return container(fixed, probe(ready, ProbePlan(timeout=5)), limits("2", "1G", 512))


def init_script(services: Sequence[ServiceSummary]) -> str:
    """Run by psql once; a service's role owns its own database and may not enter another."""
    return "\n".join(_statements(service) for service in services)


def _statements(service: ServiceSummary) -> str:
    name = service.database
    return (
        f"\\set password `cat /run/secrets/{password_secret(service)}`\n"
        f"CREATE ROLE \"{name}\" LOGIN PASSWORD :'password';\n"
        f'CREATE DATABASE "{name}" OWNER "{name}";\n'
        f'REVOKE ALL ON DATABASE "{name}" FROM PUBLIC;\n'
    )
