"""A process killed at any point of storing leaves a store that is sound, and the next run does the rest."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loom.build.store.content import BlobLost, ContentStore
from tests.engine.core.bare import action_runner, runs, shell

CHECKOUT = Path(__file__).parents[3]
SCRIPT = "mkdir -p /out/report/deep; cp /in/model/name /out/report/a; echo b > /out/report/deep/b; echo said"

# Counts the calls that change the file system, and dies at the one whose number it was given.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from tests.engine.core.bare import action_runner, shell
from loom.build.store.content import ContentStore
count, last = 0, int(sys.argv[2])
def deadly(name):
    call = getattr(os, name)
    def counted(*args, **options):
        global count
        count += 1
        if count == last:
            if name == "write":
                call(args[0], bytes(args[1])[: len(args[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **options)
    setattr(os, name, counted)
root = Path(sys.argv[1])
action = shell(sys.argv[3], root)
for name in ("open", "write", "chmod", "fchmod", "rename", "replace", "mkdir", "makedirs", "unlink", "symlink"):
    deadly(name)
done = action_runner(root).run(action)
ContentStore(root).materialise(done.result.tree("report"), root.parent / "copy")
"""


def sound(root: Path) -> None:
    """Every blob is what its name says, and every result names blobs that are there."""
    for blob in (root / "cas").rglob("*"):
        if blob.is_file():
            assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name
    for entry in (root / "ac").glob("*"):
        told = json.loads(entry.read_bytes())
        named = [row["sha256"] for row in (*told["outputs"], *told["trees"])]
        for sha256 in (*named, told["stdout"][0], told["preimage"][0]):
            assert Path(ContentStore(root).path(sha256)).exists()


def test_killed_at_every_point(tmp_path: Path) -> None:
    killed = 0
    for last in range(1, 500):
        root = tmp_path / str(last) / "store"
        root.mkdir(parents=True)
        shell(SCRIPT, root)
        words = [sys.executable, "-c", PROGRAM, str(root), str(last), SCRIPT]
        code = subprocess.run(words, cwd=CHECKOUT, check=False).returncode
        sound(root)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
        assert not (root.parent / "copy").exists()
        done = action_runner(root).run(shell(SCRIPT, root))
        assert [entry.path for entry in done.result.entries] == ["report/a", "report/deep/b"]
        assert runs(root) <= 2
    assert killed > 20


def test_no_room_for_files_is_an_error_and_not_a_result(tmp_path: Path) -> None:
    root = tmp_path / "store"
    action = shell(SCRIPT, root)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, before[1]))  # Python ignores SIGXFSZ
    try:
        with pytest.raises(OSError, match="too large"):
            ContentStore(root).put(b"more than four bytes")
        with pytest.raises(OSError, match="too large"):
            action_runner(root).run(action)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    sound(root)
    assert not list((root / "tmp").iterdir())
    assert action_runner(root).run(action).how == "ran"


def first_free_descriptor() -> int:
    """The limit counts numbers, not open files: one that an earlier test left open must not lend us a gap."""
    with Path(os.devnull).open() as probe:
        return probe.fileno()


def test_out_of_descriptors_is_an_error_and_not_a_result(tmp_path: Path) -> None:
    root = tmp_path / "store"
    action = shell(SCRIPT, root)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free_descriptor(), before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            action_runner(root).run(action)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert not (root / "ac").exists()
    assert action_runner(root).run(action).how == "ran"


def test_store_that_cannot_be_written_still_gives_what_it_has(tmp_path: Path) -> None:
    """Even root must not need to write for a hit: the folders are gone as far as writing goes."""
    root = tmp_path / "store"
    action = shell(SCRIPT, root)
    action_runner(root).run(action)
    (root / "tmp").rmdir()
    (root / "tmp").write_text("no folder")
    assert action_runner(root).run(action).how == "restored"


def test_large_file_is_streamed(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as stream:
        stream.truncate(300 << 20)
    program = (
        "import resource, sys; from pathlib import Path; from loom.build.store.content import ContentStore;"
        "store = ContentStore(Path(sys.argv[1]) / 'store');"
        "use = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; before = use();"
        "digest = store.put_file(Path(sys.argv[1]) / 'large'); store.copy_to(digest, sys.argv[1] + '/copy', 0o644);"
        "print(use() - before)"
    )
    words = [sys.executable, "-c", program, str(tmp_path)]
    grown = int(subprocess.run(words, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout)
    assert grown < 32 << 10
    assert (tmp_path / "copy").stat().st_size == 300 << 20


def test_foreign_files_in_the_store_do_no_harm(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    digest = store.put(b"tide")
    (tmp_path / "cas" / "lost+found").mkdir()
    Path(store.path(digest.sha256)).with_name("note.txt").write_text("hello")
    assert store.get(digest) == b"tide"
    Path(store.path(digest.sha256)).unlink()
    Path(store.path(digest.sha256)).mkdir()
    with pytest.raises(BlobLost):
        store.get(digest)
