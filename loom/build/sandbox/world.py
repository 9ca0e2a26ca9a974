"""The one world that every action sees, whichever sandbox provides it.

In: nothing. Out: the fixed environment, user, folders and limits, as constants.
Never: anything read from the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PROFILE: Final = 1
"""Part of every action's key; raised when something below changes what an action can observe."""

USER: Final = 1000
HOSTNAME: Final = "localhost"

ENVIRONMENT: Final[Mapping[str, str]] = {
    "HOME": "/tmp",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    # The first moment that a zip archive can hold.
    "SOURCE_DATE_EPOCH": "315532800",
    "TZ": "UTC",
}

EMPTY_FOLDERS: Final = ("build", "dev", "in", "out", "proc", "run", "sys", "tmp")
"""Mount points: a read-only root cannot make them later."""

OPEN_FILES: Final = 4096
STACK_KIB: Final = 8192

NAMES: Final[Mapping[str, str]] = {
    "etc/passwd": "loom:x:1000:1000:Loom:/tmp:/bin/sh\n",
    "etc/group": "loom:x:1000:\n",
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "etc/hostname": "localhost\n",
    "etc/resolv.conf": "",
}
"""Files of every root: initdb refuses a user without an entry, and docker would write its own hosts."""


def environment(extra: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The complete environment of an action: the fixed set and what it declares."""
    return dict(sorted({**ENVIRONMENT, **dict(extra)}.items()))
