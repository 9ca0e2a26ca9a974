"""The first program of every action: lays the copies, then runs the steps in order until one fails.

In: an action. Out: the text of a POSIX shell script; every argv is quoted, so no shell ever reads into one.
Never: a tool that the smallest root (dash, coreutils) lacks.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from loom.build.actions.action import Action, ActionStep
from loom.build.sandbox.world import OPEN_FILES, STACK_KIB

STEP_FILE = ".loom-step"
"""In /out: the name of the last step that was begun."""


def command(action: Action, variables: Mapping[str, str], *, leave_open: bool = False) -> tuple[str, ...]:
    """The whole command line, whose first program drops what the sandbox itself put into the environment.

    `leave_open` lets everybody remove what was written to /out: a caller who is neither root nor user 1000.
    """
    script = launcher(action)
    if leave_open:
        script = f"trap 'chmod -R a+rwX /out' EXIT\n{script}"
    return (*_shell(variables), script)


def prepared(action: Action, variables: Mapping[str, str]) -> tuple[str, ...]:
    """A command line that runs the words after it as the first step is run: copies laid, in its folder."""
    lines = [*_before(action, str), f"cd {shlex.quote(action.steps[0].cwd)} && unset OLDPWD", 'exec "$@"']
    return (*_shell(variables), "\n".join(lines), "sh")


def _shell(variables: Mapping[str, str]) -> tuple[str, ...]:
    """A shell in these variables alone, up to its script."""
    # docker adds HOSTNAME, bubblewrap PWD.
    # kept by tests/engine/world/test_world.py::test_every_sandbox_shows_the_same_world
    pairs = [f"{name}={value}" for name, value in sorted(variables.items())]
    return ("/usr/bin/env", "-i", *pairs, "/bin/sh", "-c")


def launcher(action: Action, moved: Callable[[str], str] = str) -> str:
    """The script; its exit code is that of the step that failed, or 0.

    `moved` gives a word with the paths of the world where they really are, before it is quoted.
    """
    return "\n".join([*_before(action, moved), *(_step(step, moved) for step in action.steps)]) + "\n"


def failed_step(out: Path) -> str:
    """Name of the last step that was begun."""
    try:
        return (out / STEP_FILE).read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _before(action: Action, moved: Callable[[str], str]) -> list[str]:
    limits = f"ulimit -c 0 && ulimit -n {OPEN_FILES} && ulimit -S -s {STACK_KIB} || exit 125"
    return ["umask 022", limits, *(_copy(name, moved) for name in sorted(action.copy_in))]


def _copy(name: str, moved: Callable[[str], str]) -> str:
    source, target = (shlex.quote(moved(f"/{place}/{name}")) for place in ("in", "build"))
    return f"cp -R {source} {target} && chmod -R u+w {target} || exit 125"


def _step(step: ActionStep, moved: Callable[[str], str]) -> str:
    argv = shlex.join(moved(word) for word in step.argv)
    mark = f"echo {shlex.quote(step.name)} > {shlex.quote(moved(f'/out/{STEP_FILE}'))}"
    return f"{mark} && cd {shlex.quote(moved(step.cwd))} && unset OLDPWD PWD && {argv} || exit $?"
