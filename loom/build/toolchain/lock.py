"""`loom toolchain lock`: names become digests. The only place that reads an index.

In: a toolchain.yaml. Out: its lock.yaml. Never: an image digest without a registry that said it.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from loom.build.settings import read_settings
from loom.build.store.content import ContentStore
from loom.build.toolchain.debian import lock_debian
from loom.build.toolchain.model import DebianLock, LockFile, OciLock, Provider, ToolchainFile
from loom.build.toolchain.oci import lock_oci
from loom.build.toolchain.trouble import FetchError
from loom.build.toolchain.wheels import lock_wheels

_HEADER = "# Made by `loom toolchain lock {name}`: what the names in toolchain.yaml meant that day.\n"


def lock_toolchain(folder: Path, store: ContentStore) -> tuple[LockFile, tuple[str, ...]]:
    """Write `lock.yaml` beside `folder/toolchain.yaml`; also why a provider has no section."""
    file = read_settings(folder / "toolchain.yaml", ToolchainFile)
    sections: dict[str, DebianLock | OciLock] = {}
    skipped: list[str] = []
    for provider in file.providers:
        try:
            sections[provider.name] = _lock(provider, store)
        except FetchError as error:
            skipped.append(f"{provider.name}: {error}")
    if not sections:
        raise FetchError("; ".join(skipped))
    overlays = tuple(lock_wheels(overlay, store) for overlay in file.overlays)
    lock = LockFile.model_validate({**sections, "overlays": overlays})
    write_lock(folder / "lock.yaml", file.name, lock)
    return lock, tuple(skipped)


def write_lock(path: Path, name: str, lock: LockFile) -> None:
    data = lock.model_dump(mode="json", exclude_none=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_HEADER.format(name=name) + yaml.safe_dump(data, sort_keys=False, width=120), encoding="utf-8")


def _lock(provider: Provider, store: ContentStore) -> DebianLock | OciLock:
    match provider:
        case Provider(debian=source) if source is not None:
            return lock_debian(source, store)
        case Provider(oci=source) if source is not None:
            return lock_oci(source)
        case _:
            raise FetchError("a provider names no source")


__all__ = ["lock_toolchain", "write_lock"]
