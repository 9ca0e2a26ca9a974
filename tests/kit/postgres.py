"""A PostgreSQL of its own for a test: a fresh cluster on a socket in a temporary folder.

In: nothing. Out: a way to run SQL and read rows back as text.
Never: a database that was there before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

INSTALL = "apt-get install postgresql"
_QUICK = "-F -c fsync=off -c full_page_writes=off -c listen_addresses=''"


class Cluster(NamedTuple):
    """A running server; its only client is psql over its socket."""

    folder: Path

    def run(self, sql: str) -> str:
        """Rows of the last statement, columns separated by `|`; AssertionError with the server's words."""
        argv = ["psql", "-h", str(self.folder), "-U", "loom", "-d", "postgres", "-qtAX", "-v", "ON_ERROR_STOP=1"]
        done = subprocess.run(argv, input=sql, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def tool(name: str) -> str:
    """The path of a PostgreSQL program, from the newest version that Debian has put here."""
    beside = [str(path.parent) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/" + name), reverse=True)]
    found = shutil.which(name, path=os.pathsep.join([*beside, os.environ.get("PATH", "")]))
    assert found, f"{name} is missing: {INSTALL}"
    return found


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A server with an empty database, stopped and removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="loom-pg-") as name:
        folder = Path(name)
        prefix = _as_somebody(folder)
        _call([*prefix, tool("initdb"), "-D", f"{name}/data", "-U", "loom", "-A", "trust", "-E", "UTF8", "-N"])
        control = [*prefix, tool("pg_ctl"), "-D", f"{name}/data", "-w", "-l", f"{name}/log"]
        _call([*control, "-o", f"-k {name} {_QUICK}", "start"])
        try:
            yield Cluster(folder)
        finally:
            _call([*control, "-m", "immediate", "stop"])


def _as_somebody(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "nobody")
    return ["runuser", "-u", "nobody", "--"]


def _call(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr
