"""What must stay in a store whatever its age: the last run's results, and what toolchains are laid from.

In: a project. Out: keys and digests. Never: a guess at what other projects need: that is found by its age.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from loom.build.data import data_folders
from loom.build.project.settings import Project
from loom.build.state import load_state

_SHA256 = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def pinned(project: Project) -> set[str]:
    """Keys of the results of the last run, and digests of the archives that locks name."""
    last = load_state(str(project.state / "state.marshal"))
    known = [*last.known.values(), *last.ran.values()] if last else []
    archives = {sha256 for lock in _locks(project) for sha256 in _SHA256.findall(lock.read_text(errors="replace"))}
    return {key for item in known for _, key in item.entries} | archives


def _locks(project: Project) -> Iterator[Path]:
    for folder in data_folders("toolchains", project.root):
        yield from folder.glob("*/lock.yaml")
    yield from (project.state / "locks").glob("*.yaml")
