"""A PostgreSQL of its own for a test: a fresh cluster on a socket in a temporary folder.

In: nothing. Out: a way to run SQL and read rows back as text.
Never: a database that was there before.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

INSTALL = "apt-get install postgresql"
_QUICK = "-F -c fsync=off -c full_page_writes=off -c listen_addresses='' -c max_connections=200"
_TOLD = "-c log_statement=all -c log_line_prefix=db=%d:"


class Cluster(NamedTuple):
    """A running server, reached over its socket. `control` is pg_ctl with what it needs to know of the server."""

    folder: Path
    control: tuple[str, ...]

    def run(self, sql: str, database: str = "postgres") -> str:
        """Rows of the last statement, columns separated by `|`; AssertionError with the server's words."""
        done = subprocess.run(self._client(database), input=sql, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @contextmanager
    def holding(self, sql: str, database: str) -> Iterator[None]:
        """A transaction that has run `sql` and ends with the block: whoever waits for what it locks goes on then."""
        client = subprocess.Popen(self._client(database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with client:
            assert client.stdin and client.stdout
            client.stdin.write(f"BEGIN; {sql}; SELECT 'held';\n")
            client.stdin.flush()
            assert client.stdout.readline() == "held\n"
            yield

    def _client(self, database: str) -> list[str]:
        return ["psql", "-h", str(self.folder), "-U", "loom", "-d", database, "-qtAX", "-v", "ON_ERROR_STOP=1"]

    def stop(self) -> None:
        """Ends it at once, as a crash would."""
        _call([*self.control, "-m", "immediate", "stop"])

    def restart(self, mode: str) -> None:
        """Ends it in one of the modes of pg_ctl, and starts it again."""
        _call([*self.control, "-m", mode, "restart"])

    def statements(self, database: str) -> int:
        """How many statements the log has of a database."""
        log = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
        ran = ("LOG:  execute", "LOG:  statement:")
        return sum(
            line.startswith(f"db={database}:") and any(word in line for word in ran) for line in log.splitlines()
        )


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
        control = (*prefix, tool("pg_ctl"), "-D", f"{name}/data", "-w", "-t", "300", "-l", f"{name}/log")
        _call([*control, "-o", f"-k {shlex.quote(name)} {_QUICK} {_TOLD}", "start"])
        server = Cluster(folder, control)
        try:
            yield server
        finally:
            if (folder / "data" / "postmaster.pid").exists():
                server.stop()


def _as_somebody(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "nobody")
    return ["runuser", "-u", "nobody", "--"]


def _call(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr
