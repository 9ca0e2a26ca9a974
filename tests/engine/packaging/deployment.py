"""A system's deployment files at work: its secrets made by its script, its databases by the container's own script.

In: a workspace, a system, an empty PostgreSQL. Out: the compose file as data, and secrets as services get them.
Never: a password or a role that the deployment files did not make.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from loom.build.work.emitted import FromStages, emitted_files
from loom.build.workspace import Workspace
from tests.kit.postgres import Cluster

_ONLY_WITH_PASSWORDS = "local all loom trust\nlocal all all scram-sha-256\n"


class Deployment(NamedTuple):
    """The folder beside the services, after `create-secrets.sh`."""

    folder: Path
    database: Cluster
    document: dict[str, Any]

    def service(self, slug: str) -> dict[str, Any]:
        found: dict[str, Any] = self.document["services"][slug]
        return found

    def mounts(self, slug: str) -> dict[Path, str]:
        """Secrets at the places that compose gives them, and the socket that stands for the host `db`."""
        files = {name: self.folder / secret["file"] for name, secret in self.document["secrets"].items()}
        secrets = {files[name]: f"/run/secrets/{name}" for name in self.service(slug)["secrets"]}
        return {**secrets, self.database.folder: str(self.database.folder)}


def deploy(workspace: Workspace, system: str, folder: Path, database: Cluster) -> Deployment:
    """Everything that happens before the first service starts."""
    for file in emitted_files(FromStages(workspace.products), "render", system):
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text, encoding="utf-8")
    subprocess.run(["sh", "create-secrets.sh"], cwd=folder, check=True)
    _fill(database, folder)
    for secret in folder.glob("secrets/*_database_url"):
        url = over_socket(secret.read_text(), database)
        secret.unlink()
        secret.write_text(url)
        secret.chmod(0o444)  # a container reads it as another user
    document: dict[str, Any] = yaml.safe_load((folder / "docker-compose.yml").read_text())
    return Deployment(folder, database, document)


def _fill(database: Cluster, folder: Path) -> None:
    """What the database's container does on an empty volume."""
    for script in sorted(folder.glob("db-init/*.sql")):
        database.run(script.read_text().replace("/run/secrets/", f"{folder}/secrets/"))
    database.folder.chmod(0o755)  # the containers' user reaches the socket, and nothing else below
    (database.folder / "data" / "pg_hba.conf").write_text(_ONLY_WITH_PASSWORDS)
    database.run("SELECT pg_reload_conf()")


def over_socket(url: str, database: Cluster) -> str:
    before, _, after = url.partition("@db:5432/")
    assert after, url
    return f"{before}@localhost/{after}?host={database.folder}"
