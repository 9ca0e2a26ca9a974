"""Input trees laid out once, read-only, by digest, and bound into every action that reads them.

In: a tree's digest. Out: a folder that holds exactly that tree.
Never: a folder that an action can write to.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from loom.base import Digest
from loom.build.store.content import ContentStore


def laid_out(store: ContentStore, digest: Digest, owner: int | None = None) -> Path:
    """The folder of the tree `digest`; made at the first use, complete or not at all."""
    # Docker shows the host's owners, so its inputs are copies that belong to the action's user.
    # kept by tests/engine/world/test_world.py::test_every_sandbox_shows_the_same_world
    target = store.root / "trees" / ("" if owner is None else f"owner-{owner}") / digest.sha256
    if target.is_dir():
        os.utime(target)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.urandom(6).hex()}")
    store.materialise(store.get_tree(digest), fresh)
    if owner is not None:
        give_to(fresh, owner)
    return settle(fresh, target)


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
