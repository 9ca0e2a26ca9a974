"""Disks that are full, read-only or broken: one line says so, nothing wrong is kept, and what can go on does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from loom.build.sandbox.bubblewrap import bubblewrap
from loom.build.store.content import BlobLost, ContentStore
from loom.build.store.results import ResultStore
from tests.engine.core.test_doit import EVERY
from tests.engine.core.tide_project import MODEL, LoomProject, Ran


class Confined(LoomProject):
    """doit runs where some folders are on other file systems, which bubblewrap makes for that run alone."""

    mounts: tuple[str, ...] = ()

    def _run(self, words: list[str], code: int | None) -> Ran:
        if not self.mounts:
            return super()._run(words, code)
        program = [bubblewrap().program, "--dev-bind", "/", "/", *self.mounts, "--", sys.executable, *words]
        done = subprocess.run(
            program, cwd=self.root, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        )  # fmt: skip
        assert code is None or done.returncode == code, done.stdout
        assert "Traceback" not in done.stdout, done.stdout
        return Ran(done.returncode, {}, done.stdout)

    def small(self, folder: str, size: int) -> None:
        """A disk of so many bytes, empty."""
        place = self.root / folder
        place.mkdir(exist_ok=True)
        self.mounts = ("--size", str(size), "--tmpfs", str(place))

    def read_only(self, folder: str) -> None:
        self.mounts = ("--ro-bind", str(self.root / folder), str(self.root / folder))


@pytest.fixture
def project(tmp_path: Path) -> Confined:
    project = Confined(tmp_path / "harbour")
    project.write("quay", MODEL["quay"] + "".join(f"ebb{number}\n" for number in range(9000)))
    return project


@pytest.mark.parametrize(("folder", "room"), [("store", 65536), ("store", 262144), ("out", 32768)])
def test_full_disk_is_one_line_and_the_next_run_is_right(project: Confined, folder: str, room: int) -> None:
    project.small(folder, room)
    told = project.doit(code=None)
    assert told.code in (1, 2, 3) and "No space left on device" in told.text, told.text
    project.mounts = ()
    project.doit()
    assert len(project.output()["harbour/quay_api/main.txt"].split()) == 9004


def test_disk_without_room_for_the_database_is_one_line(project: Confined) -> None:
    project.small(".loom", 4096)
    told = project.doit(code=3).text
    assert told.startswith("ERROR: doit cannot use its database (database or disk is full)"), told
    assert len(told.splitlines()) == 1


def test_disk_without_room_for_what_may_be_lost_is_enough(project: Confined) -> None:
    project.small(".loom", 65536)
    told = project.doit(code=0).text
    assert {line[3:] for line in told.splitlines() if line.startswith(".  ")} == EVERY
    assert len(project.output()["harbour/quay_api/main.txt"].split()) == 9004


def test_store_that_is_read_only_gives_what_it_has(project: Confined) -> None:
    project.doit()
    project.doit("forget", "--all")
    project.read_only("store")
    told = project.doit().text
    assert {line[3:].split()[0] for line in told.splitlines() if line.startswith("=  ")} == EVERY
    project.write("quay", MODEL["quay"] + "ebb\n")
    ended = project.doit(code=None)
    assert ended.code == 3 and "Read-only file system" in ended.text, ended.text


def test_output_folder_that_is_read_only_is_told(project: Confined) -> None:
    project.doit()
    project.write("quay", MODEL["quay"] + "ebb\n")
    project.read_only("out")
    assert "Read-only file system" in project.doit(code=1).text


def test_disk_that_cannot_be_read_has_lost_what_is_there(tmp_path: Path) -> None:
    """The memory of a process can be opened, but its first byte cannot be read: an input/output error."""
    broken = Path("/proc/self/mem")
    with pytest.raises(OSError, match="Input/output error"):
        broken.read_bytes()
    store, results = ContentStore(tmp_path), ResultStore(tmp_path)
    digest = store.put(b"neap tide")
    results.write("0" * 64, {"exit": 0})
    for place in (Path(store.path(digest.sha256)), Path(results.path("0" * 64))):
        place.unlink()
        place.symlink_to(broken)
    assert results.read("0" * 64) is None
    with pytest.raises(BlobLost):
        store.get(digest)
    with pytest.raises(BlobLost):
        store.copy_to(digest, str(tmp_path / "copy"), 0o644)
    assert not (tmp_path / "copy").exists()
    assert store.put(b"neap tide") == digest and store.get(digest) == b"neap tide"
