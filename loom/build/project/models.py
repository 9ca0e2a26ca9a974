"""The model files that lie in a project's folder, whether or not anything imports them.

In: the folder. Out: paths relative to it. Never: the content of a file, a hidden folder, or more than some thousand.
"""

from __future__ import annotations

import os
from pathlib import Path

SUFFIX = ".ddd"
MOST = 1000


def model_files(root: Path) -> tuple[str, ...]:
    """In the order of their names; of very many, some."""
    found: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "node_modules")))
        place = Path(folder).relative_to(root)
        found += [(place / name).as_posix() for name in files if name.endswith(SUFFIX)]
        if len(found) >= MOST:
            break
    return tuple(sorted(found)[:MOST])
