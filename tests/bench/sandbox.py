"""What the sandbox adds to a command: the same program in the same root, in bubblewrap by hand and through Loom.

In: nothing. Out: a share of the command's own time. The command computes for about half a second.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

WORLD = Path(__file__).parents[1] / "engine/world"
WORK = "sum(index * index for index in range(8_000_000))"


def sandbox_share(runs: int = 10) -> float:
    """Wall-clock time of the shortest of several runs, in turns: it says something on an idle machine alone."""
    sys.path.insert(0, str(WORLD))
    from world_kit import python, the_root

    bind = ["--ro-bind", str(the_root().folder), "/", "--proc", "/proc", "--dev", "/dev"]
    argv = ["bwrap", "--unshare-all", *bind, "--", "/usr/bin/python3", "-c", WORK]

    def by_hand() -> None:
        subprocess.run(argv, env={}, check=True)

    def in_sandbox() -> None:
        assert python("bubblewrap", WORK).worked

    in_sandbox()
    pairs = [(spent(by_hand), spent(in_sandbox)) for _ in range(runs)]
    hand, sandbox = (min(each) for each in zip(*pairs, strict=True))
    return sandbox / hand - 1


def spent(run: Callable[[], None]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun
