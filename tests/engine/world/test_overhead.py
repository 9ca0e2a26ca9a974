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


def spent(run: Callable[[], None]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def test_sandbox_costs_at_most_a_tenth() -> None:
    in_sandbox()
    hand, sandbox = float("inf"), float("inf")
    # Whatever else the machine does only lengthens a run, so the shortest of several count.
    for number in range(25):
        hand, sandbox = min(hand, spent(by_hand)), min(sandbox, spent(in_sandbox))
        if number >= 5 and sandbox <= hand * 1.10:
            return
    raise AssertionError(f"{sandbox:.3f} s in the sandbox, {hand:.3f} s by hand")
