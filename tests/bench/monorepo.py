"""Turborepo and Nx with nothing to do in 50 packages, beside Loom in a project of 50 tasks.

In: a folder. Out: the versions, and what each run costs; a reason where the registry does not serve them.
Their programs are started directly, without the script of Node around them, and without a daemon, whose time nobody
would count. Each package has one file that its task copies.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import Cost, cost

PACKAGES = 50
TURBO, NX = "2.11.11", "24.0.6"
INSTALL = ("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", f"turbo@{TURBO}", f"nx@{NX}")
BUILD = "mkdir -p dist && cp source.txt dist/made.txt"
MANAGER = "npm@10.0.0"
QUIET = {
    "TURBO_TELEMETRY_DISABLED": "1",
    "TURBO_NO_UPDATE_NOTIFIER": "1",
    "NX_DAEMON": "false",
    "NX_NO_CLOUD": "true",
    "CI": "1",
}


class Absent(Exception):
    """The registry does not serve them; the message is what npm said."""


class Tool(NamedTuple):
    name: str
    version: str
    argv: tuple[str, ...]


class Workspace(NamedTuple):
    folder: Path
    environment: Mapping[str, str]

    def run(self, tool: Tool) -> Cost:
        return cost(tool.argv, self.folder, self.environment)


def workspace(folder: Path) -> Workspace:
    """The packages, with both tools installed."""
    _write(folder)
    environment = {**{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}, **QUIET}
    _do(INSTALL, folder, environment)
    for words in (("git", "init", "-q"), ("git", "add", "."), _COMMIT):
        _do(words, folder, environment)
    return Workspace(folder, environment)


_COMMIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", "packages")


def tools(folder: Path) -> tuple[Tool, Tool]:
    modules = folder / "node_modules"
    turbo = str(modules / "@turbo/linux-64/bin/turbo")
    nx = ("node", str(modules / "nx/dist/bin/nx.js"))
    return (
        Tool("Turborepo", TURBO, (turbo, "run", "build", "--no-daemon")),
        Tool("Nx", NX, (*nx, "run-many", "--target=build")),
    )


def _write(folder: Path) -> None:
    dump = {
        "package.json": {"name": "bench", "private": True, "workspaces": ["packages/*"], "packageManager": MANAGER},
        "turbo.json": {"tasks": {"build": {"inputs": ["source.txt"], "outputs": ["dist/**"]}}},
        "nx.json": {"targetDefaults": {"build": {"cache": True, "outputs": ["{projectRoot}/dist"]}}},
    }
    for number in range(PACKAGES):
        place = f"packages/slope-{number}"
        package = {"name": f"slope-{number}", "version": "1.0.0", "scripts": {"build": BUILD}}
        dump[f"{place}/package.json"] = package
    for path, data in dump.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(data, indent=2), encoding="utf-8")
        (file.parent / "source.txt").write_text(f"{path}\n", encoding="utf-8")
    (folder / ".gitignore").write_text("node_modules\ndist\n.turbo\n.nx\n", encoding="utf-8")


def _do(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
    try:
        subprocess.run(argv, cwd=folder, env=environment, check=True, capture_output=True, text=True, timeout=600)
    except subprocess.CalledProcessError as failed:
        raise Absent(" ".join(str(failed.stderr).split())) from None
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise Absent(str(failed)) from None
