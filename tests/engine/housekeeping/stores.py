"""Stores with results in them, which grow old at once.

In: a folder. Out: keys of results. Never: a wait.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from loom.build.housekeeping.inventory import entries
from loom.build.housekeeping.limits import Keep
from tests.engine.core.bare import action_runner, shell

DAY = 86400.0
ROOMY = Keep(size=1 << 40, age=int(30 * DAY), free=0)


def script(word: str, size: int = 100) -> str:
    return f"mkdir /out/report; printf '%0{size}d' 7 > /out/report/{word}; echo {word} >> /out/report/{word}"


def act(root: Path, word: str, size: int = 100) -> str:
    """Makes one result; its key."""
    return action_runner(root).run(shell(script(word, size), root)).result.key


def age(root: Path, days: float, *names: str) -> None:
    """As if nobody had come near for so long."""
    then = time.time() - days * DAY
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            if not names or any(part in f"{folder}/{name}" for part in names):
                os.utime(f"{folder}/{name}", (then, then), follow_symlinks=False)


def keys(root: Path) -> set[str]:
    return {entry.key for entry in entries(root)}
