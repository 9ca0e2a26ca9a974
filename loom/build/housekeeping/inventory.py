"""What a store holds, by kind, with sizes and times of last use.

In: a store's folder. Out: rows. Never: content, except that of result entries, which are read for what they name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loom.base import Digest
from loom.build.remote.protocol.entry import entry_blobs
from loom.build.store.atomic import Json
from loom.build.store.content import BlobLost, ContentStore, ObservedStore
from loom.build.store.entries import BadEntry, digest


class Item(NamedTuple):
    """A file or a folder with all that is in it."""

    path: str
    size: int
    used: float


class Entry(NamedTuple):
    """A result and the blobs that it cannot do without; None when it is not a sound entry at all."""

    item: Item
    key: str
    blobs: tuple[Digest, ...] | None


def blobs(root: Path) -> dict[str, Item]:
    """By SHA-256; whatever else lies in `cas` is not listed."""
    return {Path(item.path).name: item for item in files(root / "cas") if _is_blob(item.path)}


def _is_blob(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return len(name) == 64 and folder.endswith(f"/{name[0]}") and all(letter in "0123456789abcdef" for letter in name)


def entries(root: Path) -> list[Entry]:
    """Every result, the last used first; what goes away meanwhile is not there."""
    content = ObservedStore(root)
    found = [_entry(item, content) for item in files(root / "ac") if item.path.endswith(".json")]
    return sorted(filter(None, found), key=lambda entry: -entry.item.used)


def files(folder: Path) -> Iterator[Item]:
    """Every file at any depth; what goes away meanwhile is not there."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = f"{place}/{name}"
            try:
                found = os.lstat(path)
            except OSError:
                continue
            yield Item(path, found.st_size, found.st_mtime)


def folders(folder: Path) -> Iterator[Item]:
    """Each file and folder right below `folder`, with the size of all that it holds."""
    try:
        children = list(os.scandir(folder))
    except OSError:
        return
    for child in children:
        found = child.stat(follow_symlinks=False)
        inside = sum(item.size for item in files(Path(child.path))) if child.is_dir(follow_symlinks=False) else 0
        yield Item(child.path, inside or found.st_size, found.st_mtime)


def trees(root: Path) -> Iterator[Item]:
    """Inputs laid out for actions; those that had to belong to another user lie one folder deeper."""
    for item in folders(root / "trees"):
        if "/owner-" in item.path:
            yield from folders(Path(item.path))
        else:
            yield item


def _entry(item: Item, content: ContentStore) -> Entry | None:
    key = Path(item.path).stem
    try:
        data = json.loads(Path(item.path).read_bytes())
        if not isinstance(data, dict) or data.get("key") != key:
            return Entry(item, key, None)
        return Entry(item, key, (*entry_blobs(data), *_code(data, content)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, BadEntry):
        return Entry(item, key, None)


def _code(entry: dict[str, Json], content: ContentStore) -> Iterator[Digest]:
    """The manifest of own code that a step's preimage names: without it nobody can say what of it changed."""
    if "bundle" not in entry:
        return
    try:
        bundle, preimage = digest(entry, "bundle"), digest(entry, "preimage")
        said = json.loads(content.part(bundle.sha256, bundle.size - preimage.size, preimage))
        place = content.path(str(said.get("code")))
        yield Digest(str(said["code"]), os.stat(place).st_size)
    except (BlobLost, ValueError, OSError, KeyError, AttributeError):
        return
