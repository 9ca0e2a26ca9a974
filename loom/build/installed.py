"""Where the packages lie that are at work here, as far as names tell.

In: nothing. Out: names of folders, and of packages with their versions. Never: the content of a package.
"""

from __future__ import annotations

import os
import sys


def installed() -> tuple[str, ...]:
    """Where packages are taken from, in order; those that lie elsewhere than is usual by name and version."""
    found: list[str] = []
    for folder in sys.path:
        if folder.endswith("-packages"):
            found.append(folder)
        elif os.path.isdir(folder):
            found += [f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.endswith("-info")]
    return tuple(found)
