"""Memory and process limits by control group, where this machine lets us make one.

In: limits. Out: a group to put processes in, and which limit they hit.
Never: an error when there are no control groups: rlimits are the fallback, and the caller's business.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from loom.build.actions.action import ActionLimits
from loom.build.sandbox.job import Trouble

_MOUNT = Path("/sys/fs/cgroup")


class Group(NamedTuple):
    """One folder for version 2, one a controller for version 1."""

    memory: Path
    processes: Path
    entrance: str

    def entered(self, argv: Sequence[str]) -> tuple[str, ...]:
        """A command that enters the group and then becomes `argv`.

        The kernel moves a thread that asks for itself at once; to move another, it first waits for every processor.
        """
        files = sorted({str(self.memory / self.entrance), str(self.processes / self.entrance)})
        script = "".join('echo 0 >"$1" && shift && ' for _ in files) + 'exec "$@"'
        return ("/bin/sh", "-c", script, "enter", *files, *argv)

    def trouble(self) -> Trouble:
        """The limit that was hit, if any; a memory limit only counts when it killed something."""
        if _count(self.memory, "oom_kill", ("memory.events", "memory.oom_control")):
            return Trouble.MEMORY
        return Trouble.PROCESSES if _count(self.processes, "max", ("pids.events",)) else Trouble.NONE


@contextmanager
def limited(limits: ActionLimits) -> Iterator[Group | None]:
    """A new group with these limits, gone afterwards; None where none can be made."""
    group = _make(limits)
    try:
        yield group
    finally:
        if group is not None:
            for folder in {group.memory, group.processes}:
                _remove(folder)


def _make(limits: ActionLimits) -> Group | None:
    name = f"loom-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        if (_MOUNT / "cgroup.controllers").exists():
            return _unified(name, limits)
        return _separate(name, limits)
    except OSError:
        return None


def _unified(name: str, limits: ActionLimits) -> Group:
    (_MOUNT / "cgroup.subtree_control").write_text("+memory +pids")
    folder = _MOUNT / name
    folder.mkdir()
    settings = {"memory.max": limits.memory, "memory.swap.max": 0, "pids.max": limits.processes}
    _set(folder, settings, optional={"memory.swap.max"})
    return Group(folder, folder, "cgroup.procs")


def _separate(name: str, limits: ActionLimits) -> Group:
    group = Group(_MOUNT / "memory" / name, _MOUNT / "pids" / name, "tasks")
    group.memory.mkdir()
    group.processes.mkdir()
    settings = {"memory.limit_in_bytes": limits.memory, "memory.memsw.limit_in_bytes": limits.memory}
    _set(group.memory, settings, optional={"memory.memsw.limit_in_bytes"})
    _set(group.processes, {"pids.max": limits.processes}, optional=set())
    return group


def _set(folder: Path, settings: Mapping[str, int], optional: set[str]) -> None:
    for name, value in settings.items():
        if name not in optional or (folder / name).exists():
            (folder / name).write_text(str(value))


def _count(folder: Path, word: str, files: tuple[str, ...]) -> int:
    for name in files:
        with contextlib.suppress(OSError):
            lines = (line.split() for line in (folder / name).read_text().splitlines())
            return sum(int(value) for key, value in lines if key == word)
    return 0


def _remove(folder: Path) -> None:
    """The kernel lets a group go a moment after its last process."""
    for _ in range(50):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
        else:
            return
