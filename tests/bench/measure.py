"""What one command costs: the CPU time of its process and all below it, the clock's, and its memory at most.

In: an argument list, a folder, an environment. Out: seconds and MiB. The clock tells of the machine's other work too,
so that it is used only where a part of the work is done by others, such as an engine that runs already.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    seconds: float
    mebibytes: float
    clock: float


class Aim(NamedTuple):
    """One measure that has an aim, as it is printed."""

    measure: str
    found: str
    aim: str


def cost(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cost:
    """One run; CalledProcessError, with what it printed, when it fails."""
    begun = time.perf_counter()
    with subprocess.Popen(
        argv, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv, said)
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, time.perf_counter() - begun)


def least(runs: int, run: Callable[[], Cost]) -> Cost:
    """The cheapest of several: whatever else the machine does only makes a run dearer."""
    found = [run() for _ in range(runs)]
    return Cost(*(min(each[field] for each in found) for field in range(len(Cost._fields))))


def by_turns(runs: int, *commands: Callable[[], Cost]) -> tuple[Cost, ...]:
    """The cheapest of each, run in turn: what the machine does besides falls on all alike."""
    found = [[run() for run in commands] for _ in range(runs)]
    return tuple(least(runs, iter(each).__next__) for each in zip(*found, strict=True))
