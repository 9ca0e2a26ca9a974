"""The lock folders of the backends: rules/deps/<backend>, a project's own first.

In: a backend's name. Out: the files of its lock, as a tree for `deps:<backend>`.
Never: the network.
"""

from __future__ import annotations

from pathlib import Path

from loom.base import Digest
from loom.build.data import data_folders
from loom.build.store.content import ContentStore
from loom.build.store.tree import Tree, TreeFile

TREE_LOCK = "tree.lock"


def deps_folder(backend: str, project: Path | None) -> Path:
    """The folder with the manifest and the locks of that backend."""
    for folder in data_folders("rules", project):
        if (folder / "deps" / backend).is_dir():
            return folder / "deps" / backend
    from loom.build.project.problem import SettingsError

    raise SettingsError(f"there is no rules/deps/{backend}: no manifest says what its services depend on")


def lock_files(backend: str, project: Path | None) -> tuple[tuple[str, bytes], ...]:
    """(name, content) of manifest and lock, sorted; the pinned digests are for the engine alone."""
    folder = deps_folder(backend, project)
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name != TREE_LOCK)
    return tuple((name, (folder / name).read_bytes()) for name in names)


def lock_tree(backend: str, project: Path | None, store: ContentStore) -> Digest:
    """The same files as a tree in the store: the input `lock` of the rule deps/<backend>."""
    entries = []
    for name, content in lock_files(backend, project):
        sha256, size = store.put(content)
        entries.append(TreeFile(path=name, sha256=sha256, size=size))
    return store.put_tree(Tree.of(entries))


def pins(backend: str, project: Path | None) -> str:
    """The digest of the file that says what the fetched tree must be; empty when there is none yet."""
    place = deps_folder(backend, project) / TREE_LOCK
    return Digest.of(place.read_bytes()).sha256 if place.is_file() else ""
