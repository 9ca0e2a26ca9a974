"""How the secrets of a compose file come into being: random, on the machine that runs it.

In: the services. Out: a shell script, and the list of variables that a `.env` may set.
Never: a secret.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.base import upper_snake, words
from loom.plan.model import ServiceSummary
from loom.render.database import ADMINISTRATOR_SECRET, password_secret, url_secret

SCRIPT = "create-secrets.sh"

# The folder is closed to others while its files are not: a container reads its own under another user id.
_HEAD = """\
#!/bin/sh
# Fills secrets/ with random values. What is already there stays, so running it again is safe.
set -eu
cd "$(dirname "$0")"
umask 022
mkdir -p secrets
chmod 0700 secrets

random() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \\n'
}

keep() {
  if [ ! -s "secrets/$1" ]; then
    printf '%s' "$2" >"secrets/$1.new"
    chmod 0444 "secrets/$1.new"
    mv "secrets/$1.new" "secrets/$1"
  fi
}

"""


def secrets_script(services: Sequence[ServiceSummary]) -> str:
    """A POSIX shell script that needs only coreutils."""
    return _HEAD + "".join([f'keep {ADMINISTRATOR_SECRET} "$(random)"\n', *map(_service, services)])


def _service(service: ServiceSummary) -> str:
    password = password_secret(service)
    address = f"postgresql://{service.database}:$(cat secrets/{password})@db:5432/{service.database}"
    return f'\nkeep {password} "$(random)"\nkeep {url_secret(service)} "{address}"\n'


def port_variable(service: ServiceSummary) -> str:
    """The variable that moves a service's port on this machine."""
    return f"{upper_snake(words(service.slug))}_PORT"


def environment_example(services: Sequence[ServiceSummary]) -> str:
    """Every variable that `docker-compose.yml` reads, without a value: each has a default."""
    names = ["LOG_LEVEL", *map(port_variable, services), "PROMETHEUS_PORT"]
    head = "# Copy to .env and set what should differ; an empty variable means the default.\n"
    return head + "".join(f"{name}=\n" for name in names)
