"""One run of an action in a sandbox: what goes in, what comes out, and what a sandbox is.

In: an action, an unpacked root, laid-out inputs, an empty output folder. Out: exit code, texts, trouble.
Never: a key, a store, or a decision about caching.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from loom.build.actions.action import Action
from loom.build.sandbox.running import Running


class SandboxError(Exception):
    """The sandbox itself did not work; nothing can be said about the action. The message tells how to get one."""


class Trouble(StrEnum):
    """Why an action ended that did not end by itself."""

    NONE = ""
    TIMEOUT = "ran out of time"
    MEMORY = "ran out of memory"
    PROCESSES = "started too many processes"


class Job(NamedTuple):
    """What a sandbox is given. `out` is an empty folder of this run alone, writable at /out."""

    action: Action
    root: Path
    identity: str
    inputs: Mapping[str, Path]
    out: Path
    scratch: Path


class Exit(NamedTuple):
    """How a run ended. Every process of it is dead."""

    code: int
    stdout: bytes
    stderr: bytes
    trouble: Trouble = Trouble.NONE


class Sandbox(Protocol):
    """Provides the world of `world.py`. `owner` is the host user that sandboxed files must belong to."""

    name: str
    owner: int | None

    @property
    def running(self) -> Running:
        """What runs in it now."""
        ...

    def run(self, job: Job) -> Exit: ...

    def forget(self, root: Path) -> None:
        """Drop what was kept about a root that will change or go."""
        ...
