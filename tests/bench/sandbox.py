"""What the sandbox adds to a command: the same program in the same root, in bubblewrap by hand and through Loom.

In: nothing. Out: a share of the command's own time. The command computes for about half a second.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from statistics import median

WORK = "sum(index * index for index in range(8_000_000))"


def sandbox_share(pairs: int = 11) -> float:
    """The median over pairs of runs, by the clock: what the machine does besides falls on both of a pair alike."""
    from tests.engine.world.world_kit import python, the_root

    bind = ["--ro-bind", str(the_root().folder), "/", "--proc", "/proc", "--dev", "/dev"]
    argv = ["bwrap", "--unshare-all", *bind, "--", "/usr/bin/python3", "-c", WORK]

    def by_hand() -> None:
        subprocess.run(argv, env={}, check=True)

    def in_sandbox() -> None:
        assert python("bubblewrap", WORK).worked

    by_hand()
    in_sandbox()
    return median(ratio(by_hand, in_sandbox, turned=bool(number % 2)) for number in range(pairs)) - 1


def ratio(one: Callable[[], None], other: Callable[[], None], *, turned: bool) -> float:
    """How many times as long `other` takes, right after `one` or, `turned`, right before it."""
    if turned:
        return 1 / ratio(other, one, turned=False)
    before = spent(one)
    return spent(other) / before


def spent(run: Callable[[], None]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun
