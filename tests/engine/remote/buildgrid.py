"""A real BuildGrid: content, results and ByteStream over gRPC, and the client `bgd` that comes with it.

It runs no actions: its package brings no worker, nor does that of buildbox, which has a runner alone.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.engine.remote.casd import wait_for
from tests.kit.ports import free_port
from tests.kit.waiting import LONGEST

_PLACE = Path(sys.prefix) / "tools" / "buildgrid"
BGD = _PLACE / "bin" / "bgd"
_SETTINGS = """
server:
  - !channel {{address: '127.0.0.1:{port}', insecure-mode: true}}
authorization: {{method: none}}
monitoring: {{enabled: false}}
instances:
  - name: ''
    storages:
      - !disk-storage &storage {{path: {root}/cas}}
    caches:
      - !lru-action-cache &cache {{storage: *storage, max-cached-refs: 10000, allow-updates: true}}
    services:
      - !cas {{storage: *storage}}
      - !bytestream {{storage: *storage}}
      - !action-cache {{cache: *cache}}
"""


@contextlib.contextmanager
def buildgrid(root: Path) -> Iterator[str]:
    """Its address."""
    advice = f"python3 -m venv {_PLACE} && {_PLACE}/bin/pip install buildgrid==0.4.4"
    assert BGD.is_file(), f"BuildGrid is missing: {advice}"
    port = free_port()
    root.mkdir()
    (root / "settings.yml").write_text(_SETTINGS.format(port=port, root=root))
    with (root / "log").open("w") as log:
        process = subprocess.Popen(
            [BGD, "server", "start", root / "settings.yml"], env={"PATH": os.environ["PATH"]},
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_for(port, process, "BuildGrid")
            yield f"grpc://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(LONGEST)


def bgd(address: str, *words: str) -> str:
    """What the client says."""
    group, *rest = words
    argv = [str(BGD), group, "--remote", address.replace("grpc", "http"), *rest]
    done: subprocess.CompletedProcess[str] = subprocess.run(argv, capture_output=True, text=True, check=True)
    return done.stdout
