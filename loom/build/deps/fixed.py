"""What a fetch must give: a digest for each package of the fetched tree, written down when the lock was made.

In: a fetched folder. Out: nothing, or which packages differ.
Never: byte-code, which our own run derives from the fetched sources.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml
from pydantic import Field

from loom.build.actions.cached import ActionFailed, Check
from loom.build.settings import Settings, read_settings

_HEADER = "# Made by `loom deps update`: one digest for each package of the fetched tree, by machine.\n"


class TreeLock(Settings):
    """`tree.lock`: machine, package, SHA-256 of the package's names, modes and bytes."""

    machines: dict[str, dict[str, str]] = Field(default_factory=dict)


def must_match(lock_path: Path, output: str) -> Check:
    """A check of an action's outputs: the folder `output` must be the locked tree, byte for byte."""

    def check(out: Path) -> None:
        locked = read_settings(lock_path, TreeLock).machines.get(machine())
        if locked is None:
            raise ActionFailed(f"{lock_path} has no tree for {machine()}: `loom deps update` adds it")
        if wrong := differences(locked, fingerprints(out / output)):
            raise ActionFailed(f"what was fetched is not what {lock_path} pins: {', '.join(wrong)}")

    return check


def write_tree_lock(lock_path: Path, folder: Path) -> None:
    """Pin the tree in `folder` for this machine; other machines keep theirs."""
    known = read_settings(lock_path, TreeLock).machines if lock_path.is_file() else {}
    data = {"machines": dict(sorted({**known, machine(): fingerprints(folder)}.items()))}
    lock_path.write_text(_HEADER + yaml.safe_dump(data, width=160), encoding="utf-8")


def machine() -> str:
    return f"{platform.system()}-{platform.machine()}".lower()


def differences(locked: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """`name (missing)`, `name (not locked)`, `name (differs)`, sorted."""
    missing = [f"{name} (missing)" for name in locked.keys() - found.keys()]
    extra = [f"{name} (not locked)" for name in found.keys() - locked.keys()]
    other = [f"{name} (differs)" for name in locked.keys() & found.keys() if locked[name] != found[name]]
    return sorted(missing + extra + other)


def fingerprints(folder: Path) -> dict[str, str]:
    """A digest for each top-level name of `folder`, and for each package of a scope."""
    return {name: _fingerprint(folder / name) for name in sorted(_packages(folder))}


def _packages(folder: Path) -> Iterator[str]:
    for child in folder.iterdir():
        if child.name.startswith("@"):
            yield from (f"{child.name}/{inner.name}" for inner in child.iterdir())
        elif child.name != "__pycache__":
            yield child.name


def _fingerprint(place: Path) -> str:
    sha = hashlib.sha256()
    for path, line in sorted(_lines(place)):
        sha.update(f"{path}\0{line}\n".encode())
    return sha.hexdigest()


def _lines(place: Path) -> Iterator[tuple[str, str]]:
    if place.is_symlink() or place.is_file():
        yield "", _line(place)
        return
    for folder, folders, files in os.walk(place):
        folders[:] = [name for name in folders if name != "__pycache__"]
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            path = Path(folder, name)
            yield path.relative_to(place).as_posix(), _line(path)


def _line(path: Path) -> str:
    if path.is_symlink():
        return f"link {path.readlink()}"
    kind = "program" if path.stat().st_mode & 0o100 else "file"
    return f"{kind} {hashlib.sha256(path.read_bytes()).hexdigest()}"
