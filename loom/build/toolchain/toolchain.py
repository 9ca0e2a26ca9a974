"""A toolchain by name: its file, its lock, the provider in force, and the identity of the root they give.

In: a name, the data folders, a preference. Out: a frozen description of one root.
Never: a root on disk, or an identity that a tag or a version string would decide.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from loom.build.data import data_folders
from loom.build.project.problem import SettingsError
from loom.build.settings import read_settings
from loom.build.toolchain.model import LockFile, ProviderName, ToolchainFile

ROOT_FORMAT = 2
"""Raised when the code that lays roots changes what it lays."""


class Toolchain(NamedTuple):
    """Everything about one toolchain that is known without building it."""

    name: str
    folder: Path
    file: ToolchainFile
    lock: LockFile
    provider: ProviderName
    identity: str


def toolchain(
    name: str, project: Path | None = None, prefer: ProviderName | None = None, *, committed: bool = False
) -> Toolchain:
    """The toolchain of that name, the project's own first; SettingsError when it cannot be used.

    `committed`: a lock that was made because the archive moved on does not count.
    """
    folder = _folder(name, project)
    file = read_settings(folder / "toolchain.yaml", ToolchainFile)
    lock_path = folder / "lock.yaml"
    if not lock_path.is_file():
        raise SettingsError(f"{lock_path}: is missing; make it with `loom toolchain lock {name}`")
    if project is not None and not committed and (replaced := replaced_lock(folder, project)).is_file():
        lock_path = replaced
    lock = read_settings(lock_path, LockFile)
    if len(lock.overlays) != len(file.overlays):
        raise SettingsError(f"{lock_path}:1: locks other overlays than toolchain.yaml has; lock it again")
    provider = _provider(file, lock, prefer, lock_path)
    return Toolchain(name, folder, file, lock, provider, _identity(file, lock, provider))


def toolchain_names(project: Path | None = None) -> tuple[str, ...]:
    """All there are, sorted."""
    folders = data_folders("toolchains", project)
    return tuple(sorted({path.parent.name for folder in folders for path in folder.glob("*/toolchain.yaml")}))


def replaced_lock(folder: Path, project: Path) -> Path:
    """Where a lock lies that stands for `folder/lock.yaml`, as it is now, while the archive lacks its packages."""
    base = hashlib.sha256((folder / "lock.yaml").read_bytes()).hexdigest()
    return project / ".loom" / "locks" / f"{folder.name}-{base[:16]}.yaml"


def _folder(name: str, project: Path | None) -> Path:
    for folder in data_folders("toolchains", project):
        if (folder / name / "toolchain.yaml").is_file():
            return folder / name
    raise SettingsError(f"there is no toolchain `{name}` (there are: {', '.join(toolchain_names(project))})")


def _provider(file: ToolchainFile, lock: LockFile, prefer: ProviderName | None, lock_path: Path) -> ProviderName:
    """The preferred one, else the first that has a lock section."""
    locked = [item.name for item in file.providers if getattr(lock, item.name) is not None]
    if prefer is not None and prefer not in locked:
        raise SettingsError(f"{lock_path}:1: provider `{prefer}` is preferred but not locked (locked: {locked})")
    if not locked:
        raise SettingsError(f"{lock_path}:1: has no provider's section")
    return prefer or locked[0]


def _identity(file: ToolchainFile, lock: LockFile, provider: ProviderName) -> str:
    section = lock.debian if provider == "debian" else lock.oci
    parts = {
        "format": ROOT_FORMAT,
        "section": section.model_dump(mode="json") if section else None,
        "overlays": [item.model_dump(mode="json") for item in lock.overlays],
        "places": [item.model_dump(mode="json") for item in file.overlays],
        "prepare": [item.model_dump(mode="json") for item in file.prepare],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
