"""Takes files and folders of a store away.

In: paths. Out: whether they are gone. Never: a folder that is half there under its name.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from loom.build.store.atomic import COUNTER, RUN
from loom.build.store.folders import make_folder


def remove_file(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def remove_tree(path: str, root: Path) -> bool:
    """By way of `trash`: renaming happens at once, removing does not."""
    if not os.path.isdir(path) or os.path.islink(path):
        return remove_file(path)
    trash = root / "trash"
    target = trash / f"{RUN}-{next(COUNTER)}"
    try:
        make_folder(str(root), str(trash))
        os.rename(path, target)
    except OSError:
        return False
    empty(target)
    return True


def empty(folder: Path) -> None:
    """Folders that were made read-only are opened first, else an ordinary user could not empty them."""
    for place, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(place, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
