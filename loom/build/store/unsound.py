"""Results that came out differently when they were made again: nobody else is given them.

In: a store's folder, keys. Out: whether a key is among them. Never: a miss: what is built from is still the first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from loom.build.store.folders import make_folder

_FOLDER = "unsound"


def mark(root: Path, keys: Iterable[str]) -> None:
    """From now on these are given to nobody."""
    folder = root / _FOLDER
    make_folder(str(root), str(folder))
    for key in keys:
        (folder / key).touch()


def is_unsound(root: Path | str, key: str) -> bool:
    """Whether the result of `key` was seen to differ."""
    return os.path.exists(f"{root}/{_FOLDER}/{key}")
