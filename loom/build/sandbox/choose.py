"""Which sandbox runs actions here, by the project's setting.

In: `auto`, `docker`, `bubblewrap` or `none`. Out: a sandbox that works.
Never: `none` without being asked for by name.
"""

from __future__ import annotations

from typing import Literal, assert_never

from loom.build.sandbox.bubblewrap import bubblewrap
from loom.build.sandbox.job import Sandbox, SandboxError

Choice = Literal["auto", "docker", "bubblewrap", "none"]


def choose_sandbox(choice: Choice) -> Sandbox:
    """SandboxError with what to install when the choice cannot be had."""
    match choice:
        case "auto":
            return _automatic()
        case "docker":
            return _docker()
        case "bubblewrap":
            return bubblewrap()
        case "none":
            from loom.build.sandbox.bare import Bare

            return Bare()
        case _:
            assert_never(choice)


def _automatic() -> Sandbox:
    """Docker if its engine answers, else bubblewrap."""
    try:
        return _docker()
    except SandboxError as first:
        try:
            return bubblewrap()
        except SandboxError as second:
            raise SandboxError(f"there is no sandbox here.\n  docker: {first}\n  bubblewrap: {second}") from second


def _docker() -> Sandbox:
    # The client library takes longer to import than a whole run with nothing to do.
    from loom.build.sandbox.docker_engine import docker_engine

    return docker_engine()
