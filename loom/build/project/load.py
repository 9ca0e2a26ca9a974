"""Finds a project and reads it, from a cache while `loom.yaml` has not changed.

In: a folder and the environment. Out: a `Project`. Never: pydantic or yaml when the cache is good.
"""

from __future__ import annotations

import hashlib
import marshal
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from loom.build.housekeeping.limits import keep_from
from loom.build.itself import loaded_stamps, own_stamps
from loom.build.project.problem import NothingBegun
from loom.build.project.settings import Project, System
from loom.build.remote.settings import remote_of
from loom.build.stamps import Stamp, unchanged
from loom.build.store.atomic import write_disposable

if TYPE_CHECKING:
    from loom.build.project.schema import Plain

FILE = "loom.yaml"
_CACHE = ".loom/project.marshal"


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds a `loom.yaml`."""
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder
    raise NothingBegun(f"no {FILE} in {start} or above it; `loom init` writes one")


def load_project(root: Path, environment: Mapping[str, str] = os.environ) -> Project:
    """The project at `root`. Single fields are overridden by the environment.

    By `LOOM_SANDBOX`, `LOOM_STORE`, `LOOM_TOOLCHAINS`, `LOOM_REMOTE_*` and `LOOM_KEEP_*`.

    `LOOM_LOCKED=1` and `LOOM_ALLOW_DESTRUCTIVE=1` are what the options of `generate` set for every task of a run.
    """
    systems, sandbox, toolchains, store, remote, keep = _read(root)
    if environment.get("LOOM_SANDBOX") or environment.get("LOOM_TOOLCHAINS"):
        from loom.build.project.schema import override_choices

        sandbox, toolchains = override_choices(environment, sandbox, toolchains)
    try:
        shared, kept = remote_of(remote, environment), keep_from(environment, keep)
    except ValueError as wrong:
        raise NothingBegun(str(wrong)) from None
    return Project(
        root=root,
        systems=tuple(System(*system) for system in systems),
        sandbox=sandbox,
        toolchains=toolchains,
        store=root / Path(environment.get("LOOM_STORE") or store).expanduser(),
        locked=environment.get("LOOM_LOCKED") == "1",
        may_lose_data=environment.get("LOOM_ALLOW_DESTRUCTIVE") == "1",
        remote=shared,
        keep=kept,
    )


def _read(root: Path) -> Plain:
    """The content of `loom.yaml`, by digest from the cache, while the code that reads it is the same."""
    text = (root / FILE).read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    cached = _cached(root / _CACHE)
    if cached is not None and cached[0] == digest and unchanged(cached[1]):
        return cached[2]
    own_stamps()  # of before the reader is loaded
    from loom.build.project.schema import parse_loom_yaml

    plain = parse_loom_yaml(text, FILE)
    write_disposable(str(root / _CACHE), marshal.dumps((digest, loaded_stamps(), plain)))
    return plain


def _cached(path: Path) -> tuple[str, dict[str, Stamp], Plain] | None:
    try:
        digest, stamps, plain = marshal.loads(path.read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return digest, stamps, plain
