"""Folders of very many files and very large files: laid out whole, and never held in memory."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.build.sandbox.inputs import laid_out
from loom.build.store.content import ContentStore
from loom.build.store.tree import Tree, TreeFile
from tests.engine.core.tide_project import CHECKOUT

MANY = 50_000
LARGE = 1 << 30
ROOM = 6 * LARGE  # the file, its copies in two stores and a share, the one taken out, and all the small ones
MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """In memory where there is room for it: what a disk does with so much says nothing of us."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    with tempfile.TemporaryDirectory(prefix="loom-sizes-", dir=MEMORY if roomy else None) as place:
        yield Path(place)


def test_fifty_thousand_files_are_laid_out_and_captured(folder: Path) -> None:
    store = ContentStore(folder / "store")
    contents = [store.put(f"neap {number}".encode()) for number in range(100)]
    paths = [f"end/{number % 1000}/HTTPLog {number}" for number in range(MANY)]
    entries = [
        TreeFile(path=path, sha256=contents[place % 100].sha256, size=contents[place % 100].size)
        for place, path in enumerate(paths)
    ]
    tree = Tree.of(entries)
    digest = store.put_tree(tree)
    place = laid_out(store, digest)
    assert laid_out(store, digest) == place
    assert sum(len(names) for _, _, names in os.walk(place)) == MANY
    assert (place / paths[-1]).read_bytes() == f"neap {(MANY - 1) % 100}".encode()
    assert store.capture(place) == tree


# Puts a file into a store, lays it out, shares it and takes it back: by its own account in so many KiB at most.
STREAMED = """
import resource, sys
from pathlib import Path
from loom.base import Digest
from loom.build.remote.known import Known
from loom.build.remote.carrying import Carrier
from loom.build.remote.places.folder import FolderTransport
from loom.build.remote.taking import Taker
from loom.build.remote.traffic import Traffic
from loom.build.store.content import ContentStore
from concurrent.futures import ThreadPoolExecutor
folder = Path(sys.argv[1])
(folder / "shared").mkdir()
store, other = ContentStore(folder / "store"), ContentStore(folder / "other")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
digest = store.put_file(folder / "large")
place = FolderTransport(str(folder / "shared"))
Carrier(place, Known(), Traffic(), ThreadPoolExecutor(1)).carry({digest: store.sound(digest)})
(folder / "store").rename(folder / "gone")
Taker(place, other, Known(), Traffic()).take([digest])
other.copy_to(digest, str(folder / "copy"), 0o644)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(digest.sha256, digest.size, after - before)
"""


def test_gigabyte_is_streamed(folder: Path) -> None:
    with (folder / "large").open("wb") as stream:
        stream.truncate(LARGE)
        stream.seek(LARGE - 9)
        stream.write(b"class end")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT)}
    argv = [sys.executable, "-c", STREAMED, str(folder)]
    done = subprocess.run(argv, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sha256, size, added = done.stdout.split()
    assert int(size) == LARGE and int(added) < 64 << 10
    with (folder / "copy").open("rb") as stream:
        assert hashlib.file_digest(stream, "sha256").hexdigest() == sha256
