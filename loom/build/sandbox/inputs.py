"""Input trees laid out once, read-only, by digest, and bound into every action that reads them.

In: a tree's digest. Out: a folder that holds exactly that tree.
Never: a folder that an action can write to.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from loom.base import Digest
from loom.build.store.content import ContentStore
from loom.build.store.folders import in_use, make_folder
from loom.build.store.tree import Tree, TreeEntry, TreeFile, TreeLink


def laid_out(store: ContentStore, digest: Digest, owner: int | None = None) -> Path:
    """The folder of the tree `digest`; made at the first use, complete or not at all."""
    # Docker shows the host's owners, so its inputs are copies that belong to the action's user.
    # kept by tests/engine/world/test_world.py::test_every_sandbox_shows_the_same_world
    target = store.root / "trees" / ("" if owner is None else f"owner-{owner}") / digest.sha256
    tree = store.get_tree(digest)
    if target.is_dir():
        # Nobody reads it through a digest, so what a power cut emptied would be an input like any other.
        # kept by tests/engine/core/test_actions.py::test_input_that_was_damaged_where_it_lies_is_laid_out_anew
        if _holds(target, tree):
            in_use(str(target))
            return target
        _put_aside(target)
    make_folder(str(store.root), str(target.parent))
    fresh = target.with_name(f"{target.name}.{os.urandom(6).hex()}")
    store.materialise(tree, fresh)
    if owner is not None:
        give_to(fresh, owner)
    return settle(fresh, target)


def _holds(folder: Path, tree: Tree) -> bool:
    """Whether it holds those files and links, as far as names, kinds and sizes tell."""
    found = dict(_inside(str(folder), ""))
    return found.keys() == {entry.path for entry in tree.entries} and all(
        _is_like(found[entry.path], entry) for entry in tree.entries
    )


def _inside(folder: str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as found:
        for child in found:
            if child.is_dir(follow_symlinks=False):
                yield from _inside(child.path, f"{prefix}{child.name}/")
            else:
                yield prefix + child.name, child


def _is_like(found: os.DirEntry[str], entry: TreeEntry) -> bool:
    status = found.stat(follow_symlinks=False)
    match entry:
        case TreeLink():
            return stat.S_ISLNK(status.st_mode) and os.readlink(found.path) == entry.target
        case TreeFile():
            kind = stat.S_ISREG(status.st_mode), status.st_size, bool(status.st_mode & 0o100)
            return kind == (True, entry.size, entry.executable)


def _put_aside(target: Path) -> None:
    """Whoever uses it still keeps it for as long."""
    aside = target.with_name(f"{target.name}.{os.urandom(6).hex()}")
    with contextlib.suppress(FileNotFoundError):
        target.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def settle(fresh: Path, target: Path) -> Path:
    """Move a finished folder to its name; whoever came first wins, as both hold the same."""
    try:
        fresh.rename(target)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        if not target.is_dir():
            raise
    return target


def give_to(folder: Path, owner: int) -> None:
    """Make `owner` the owner of the folder and of all that is in it."""
    os.lchown(folder, owner, owner)
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.lchown(os.path.join(place, name), owner, owner)
