"""No sandbox: the host's own tools, files, network and environment, for those who ask for it by name.

In: a job. Out: its exit. Never: the default, and nothing that it made is shared with a sandbox.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from loom.build.actions.action import Action
from loom.build.remote.settings import SIGNING_KEY, TOKEN
from loom.build.sandbox.job import Exit, Job, Trouble
from loom.build.sandbox.launcher import launcher
from loom.build.sandbox.running import Running
from loom.build.sandbox.world import environment

_PLACE = re.compile(r"(?<![\w/.-])/(in|out|build)(?=/|\b)")


class Bare:
    """Paths of the world become folders of the run; the root's tools come after the host's."""

    name = "none"
    owner: int | None = None

    def __init__(self) -> None:
        self.running = Running()

    def forget(self, root: Path) -> None:
        """Nothing is kept about roots."""

    def run(self, job: Job) -> Exit:
        places = {name: job.scratch / name for name in ("in", "build")} | {"out": job.out}
        for place in places.values():
            place.mkdir(exist_ok=True)
        for name, folder in job.inputs.items():
            (places["in"] / name).symlink_to(folder)
        script = launcher(job.action, lambda word: _moved(word, places))
        script = script.replace("ulimit -c 0 && ", "").replace("cp -R ", "cp -RL ")
        process = subprocess.Popen(
            ["/bin/sh", "-c", script], cwd=places["build"], env=_variables(job.action, job.root, places),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        try:
            with self.running.listed(lambda: _kill(process)):
                stdout, stderr = process.communicate(timeout=job.action.timeout)
            return Exit(process.returncode, stdout, stderr)
        except subprocess.TimeoutExpired:
            _kill(process)
            stdout, stderr = process.communicate()
            return Exit(process.returncode, stdout, stderr, Trouble.TIMEOUT)
        except BaseException:
            _kill(process)
            process.wait()
            raise


def _kill(process: subprocess.Popen[bytes]) -> None:
    """With all that it started, unless that left its session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _moved(text: str, places: Mapping[str, Path]) -> str:
    return _PLACE.sub(lambda found: str(places[found[1]]), text)


def _variables(action: Action, root: Path, places: Mapping[str, Path]) -> dict[str, str]:
    own = {name: _moved(value, places) for name, value in environment(action.env).items()}
    path = f"{os.environ.get('PATH', own['PATH'])}:{root}/usr/local/bin:{root}/usr/bin"
    host = {name: value for name, value in os.environ.items() if name not in (TOKEN, SIGNING_KEY)}
    return {**host, **own, "PATH": path}
