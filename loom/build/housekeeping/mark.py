"""When a store was last tidied, and so whether that is due; and that it is a cache.

In: a store's folder. Out: the mark, set or read. Never: a look at what the store holds.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from loom.build.housekeeping.limits import Keep
from loom.build.store.atomic import write_disposable

_STAMP = "gc.stamp"
_OFTEN = 86400.0
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# What Loom made and can make again.\n"


def mark_tidy(root: Path) -> None:
    """As of now. A store that has just been made is tidy: nothing in it is old enough to go."""
    for name, data in (("CACHEDIR.TAG", _TAG), (_STAMP, b"")):
        write_disposable(f"{root}/{name}", data)


def is_due(root: Path, keep: Keep) -> bool:
    """Whether it is worth a look: once a day, unless the disk is nearly full."""
    try:
        recent = time.time() - (root / _STAMP).stat().st_mtime < _OFTEN
    except OSError:
        recent = False
    return not recent or lacking(root, keep) > 0


def lacking(root: Path, keep: Keep) -> int:
    """Bytes that must go for the disk to be as free as was asked for."""
    return max(0, keep.free - shutil.disk_usage(root).free)
