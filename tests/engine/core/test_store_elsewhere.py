"""A store that was moved, belongs to somebody else, is written by many at once, or lost bytes where it lay."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.actions.cached import Done
from loom.build.housekeeping.check import faults, repair
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from loom.build.store.tree import Tree, TreeFile
from tests.engine.core.bare import action_runner, shell
from tests.engine.core.tide_project import CHECKOUT, LoomProject

SCRIPT = "mkdir -p /out/report/deep; cp /in/model/name /out/report/a; echo b > /out/report/deep/b; echo said"
OTHER = "cp /in/model/name /out/report"
NOBODY = 65534


def report(done: Done, root: Path) -> dict[str, bytes]:
    files = done.result.tree("report").files
    return {entry.path: ContentStore(root).get(entry.content) for entry in files}


def test_whatever_a_power_cut_emptied_is_noticed(tmp_path: Path) -> None:
    """Names may last longer than the bytes behind them; one file after the other, wherever it lies."""
    whole = tmp_path / "whole"
    action_runner(whole).run(shell(SCRIPT, whole))
    places = [path.relative_to(whole) for path in sorted(whole.rglob("*")) if path.is_file()]
    assert {place.parts[0] for place in places} >= {"ac", "cas", "trees"}
    for number, place in enumerate(places):
        root = tmp_path / str(number) / "store"
        shutil.copytree(whole, root)
        (root / place).chmod(0o600)
        (root / place).write_bytes(b"")
        done = action_runner(root).run(shell(SCRIPT, root))
        assert report(done, root) == {"a": b"harbour", "deep/b": b"b\n"}, place
        assert report(action_runner(root).run(shell(OTHER, root)), root) == {"report": b"harbour"}, place
        assert action_runner(root).run(shell(SCRIPT, root)).how == "restored"
        repair(list(faults(root)))
        assert action_runner(root).run(shell(SCRIPT, root)).how in ("ran", "restored")
        assert list(faults(root)) == [], place


def test_store_that_was_moved_has_everything_still(tmp_path: Path) -> None:
    project = LoomProject(tmp_path / "harbour", LOOM_STORE=str(tmp_path / "first"))
    project.doit()
    (tmp_path / "first").rename(tmp_path / "the second")
    project.environment["LOOM_STORE"] = str(tmp_path / "the second")
    shutil.rmtree(project.root / "out")
    assert not project.ran() and project.output()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Where other users may go, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="loom-shared-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@contextlib.contextmanager
def somebody_else() -> Iterator[bool]:
    """As another user, where we may become one; then what is ours is not to be written."""
    if os.getuid() != 0:
        yield False
        return
    os.seteuid(NOBODY)
    try:
        yield True
    finally:
        os.seteuid(0)


def test_store_of_another_user_gives_what_it_has(open_folder: Path) -> None:
    root = open_folder / "store"
    action = shell(SCRIPT, root)
    action_runner(root).run(action)
    with somebody_else():
        done = action_runner(root).run(action)
        assert done.how == "restored" and report(done, root) == {"a": b"harbour", "deep/b": b"b\n"}


def test_folder_that_may_not_be_entered_has_lost_what_it_holds(open_folder: Path) -> None:
    root = open_folder / "store"
    store, results = ContentStore(root), ResultStore(root)
    digest = store.put(b"neap tide")
    results.write("0" * 64, {"exit": 0})
    for folder in (Path(store.path(digest.sha256)).parent, root / "ac"):
        folder.chmod(0)
    with somebody_else() as is_kept_out:
        if is_kept_out or os.getuid() != 0:
            assert results.read("0" * 64) is None and not store.has(digest)
            with pytest.raises(LookupError):
                store.get(digest)
            with pytest.raises(PermissionError):
                store.put(b"neap tide")
    for folder in (Path(store.path(digest.sha256)).parent, root / "ac"):
        folder.chmod(0o755)
    assert store.get(digest) == b"neap tide"


PUT = """
import sys
from pathlib import Path
from loom.build.store.content import ContentStore
store = ContentStore(Path(sys.argv[1]))
sys.stdin.readline()
for number in range(20):
    store.put(bytes([number]) * 300_000)
    store.put_tree(store.capture(Path(sys.argv[2])))
"""


def test_eight_processes_put_the_same_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(10):
        (folder / f"berth{number}").write_bytes(b"%d" % number * 1000)
    words = [sys.executable, "-c", PUT, str(tmp_path / "store"), str(folder)]
    workers = [subprocess.Popen(words, cwd=CHECKOUT, stdin=subprocess.PIPE, text=True) for _ in range(8)]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    assert [worker.wait() for worker in workers] == [0] * 8
    assert list(faults(tmp_path / "store")) == [] and not list((tmp_path / "store/tmp").iterdir())
    store = ContentStore(tmp_path / "store")
    assert all(store.get(Digest.of(bytes([number]) * 300_000)) for number in range(20))


def test_fifty_thousand_files_come_back(tmp_path: Path) -> None:
    store = ContentStore(tmp_path / "store")
    contents = [store.put(b"%d" % number) for number in range(100)]
    entries = [
        TreeFile(path=f"quay{n % 50}/berth{n}", sha256=contents[n % 100].sha256, size=contents[n % 100].size)
        for n in range(50_000)
    ]
    tree = Tree.of(entries)
    assert store.get_tree(store.put_tree(tree)) == tree
    store.materialise(tree.below("quay7"), tmp_path / "copy")
    assert store.capture(tmp_path / "copy") == tree.below("quay7")
    assert len([*(tmp_path / "copy").iterdir()]) == 1000


def test_empty_folder_and_empty_file_come_back(tmp_path: Path) -> None:
    store = ContentStore(tmp_path / "store")
    for name, files in (("none", ()), ("one", ("empty",))):
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file).touch()
        tree = store.get_tree(store.put_tree(store.capture(tmp_path / name)))
        store.materialise(tree, tmp_path / f"{name} copied")
        assert sorted(path.name for path in (tmp_path / f"{name} copied").iterdir()) == list(files)


def test_what_a_digest_of_a_folder_is_made_from(tmp_path: Path) -> None:
    """Names, bytes and the executable bit; not times, owners, other rights, or the order in which files came."""
    store = ContentStore(tmp_path / "store")
    names = ["b", "a", "class/end", "class/HTTPLog"]
    for folder, order in (("one", names), ("two", names[::-1])):
        for name in order:
            place = tmp_path / folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"neap\n")
    one, two = (store.capture(tmp_path / folder).digest() for folder in ("one", "two"))
    assert one == two
    place = tmp_path / "two/a"
    os.utime(place, (1, 1))
    place.chmod(0o604)
    if os.getuid() == 0:
        os.chown(place, NOBODY, NOBODY)
    assert store.capture(tmp_path / "two").digest() == one
    place.chmod(0o744)
    executable = store.capture(tmp_path / "two").digest()
    place.chmod(0o644)
    place.write_bytes(b"neap\r\n")
    assert len({one, executable, store.capture(tmp_path / "two").digest()}) == 3
