"""Folders of a store: each has the rights of the store itself, so that a store which a group shares stays shared.

In: the folder of a store, a folder below it. Out: that folder, there.
Never: rights that the umask of whoever came first decided.
"""

from __future__ import annotations

import contextlib
import os

_RIGHTS = 0o2777
"""All but the sticky bit, which is about a folder's own entries; the group's bit hands the group down."""


def make_folder(root: str, folder: str) -> None:
    """`folder` and what is missing between it and `root`; `root` itself is made as the umask says."""
    # kept by tests/engine/core/test_store_of_a_group.py
    os.makedirs(root, exist_ok=True)
    rights = os.stat(root).st_mode & _RIGHTS
    for missing in _missing(root, folder):
        with contextlib.suppress(FileExistsError):
            os.mkdir(missing)
            os.chmod(missing, rights)


def _missing(root: str, folder: str) -> list[str]:
    """The outermost first."""
    found: list[str] = []
    while folder != root and not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def open_lock(path: str) -> int:
    """A new open file to lock, which all may read: that of somebody else is as good when it cannot be written to."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except PermissionError:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    with contextlib.suppress(PermissionError):
        os.fchmod(handle, 0o644)
    return handle


def in_use(place: str) -> None:
    """For whoever tidies the store; what is somebody else's is as old as they left it."""
    with contextlib.suppress(PermissionError):
        os.utime(place)
