"""What one command costs: the CPU time of its process and all below it, and how much memory it took at most.

In: an argument list, a folder, an environment. Out: seconds and MiB.
Never: wall-clock time, which tells of the machine's other work.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    seconds: float
    mebibytes: float


def cost(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cost:
    """One run; CalledProcessError, with what it printed, when it fails."""
    with subprocess.Popen(
        argv, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv, said)
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def least(runs: int, run: Callable[[], Cost]) -> Cost:
    """The cheapest of several: whatever else the machine does only makes a run dearer."""
    found = [run() for _ in range(runs)]
    return Cost(min(each.seconds for each in found), min(each.mebibytes for each in found))
