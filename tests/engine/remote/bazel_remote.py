"""A real bazel-remote: one cache behind HTTP and gRPC, gone when its test is."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.engine.remote.casd import wait_for
from tests.kit.ports import free_port
from tests.kit.waiting import LONGEST

PROGRAM = Path(sys.prefix) / "tools" / "bazel-remote"


class BazelRemote(NamedTuple):
    http: str
    grpc: str


@contextlib.contextmanager
def bazel_remote(root: Path) -> Iterator[BazelRemote]:
    assert PROGRAM.is_file(), "bazel-remote is missing: bash .ci/setup tests"
    root.mkdir()
    http, grpc = (f"127.0.0.1:{free_port()}" for _ in range(2))
    words = [str(PROGRAM), f"--dir={root}/cache", "--max_size=1", f"--http_address={http}", f"--grpc_address={grpc}"]
    with (root / "log").open("w") as log:
        process = subprocess.Popen(words, env={}, stdout=log, stderr=subprocess.STDOUT)
        try:
            for address in (http, grpc):
                wait_for(int(address.rpartition(":")[2]), process, "bazel-remote")
            yield BazelRemote(f"http://{http}", f"grpc://{grpc}")
        finally:
            process.terminate()
            process.wait(LONGEST)
