"""The sandbox costs little over the same command in the same root by hand."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from world_kit import python, the_root

WORK = "sum(index * index for index in range(8_000_000))"


def by_hand() -> None:
    bind = ["--ro-bind", str(the_root().folder), "/", "--proc", "/proc", "--dev", "/dev"]
    argv = ["bwrap", "--unshare-all", *bind, "--", "/usr/bin/python3", "-c", WORK]
    subprocess.run(argv, env={}, check=True)


def in_sandbox() -> None:
    assert python("bubblewrap", WORK).worked


def best(run: Callable[[], None]) -> float:
    """Shortest of several runs: whatever else the machine does only lengthens them."""
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return min(times)


def test_sandbox_costs_at_most_a_tenth() -> None:
    in_sandbox()
    hand, sandbox = best(by_hand), best(in_sandbox)
    assert sandbox <= hand * 1.10 + 0.01, f"{sandbox:.3f} s in the sandbox, {hand:.3f} s by hand"
