"""The output folder: what Loom writes, restores, removes and never touches."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from loom.build.output import write as write_module
from loom.build.output.clean import clean_output
from loom.build.output.content import OutputConflict, OutputContent, OutputFile, OutputFolder
from loom.build.output.memory import is_settled
from loom.build.output.write import Written, write_outputs
from loom.build.project import ProjectProblem

BERTHS = {
    "docker-compose.yml": b"services: {}\n",
    "berthing_api/app/main.py": b"print('hello')\n",
    "berthing_api/app/http_server.py": b"class HTTPServer: ...\n",
    "berthing_api/start.sh": b"#!/bin/sh\n",
}


def content(files: Mapping[str, bytes], key: str = "k1") -> OutputContent:
    blobs = {hashlib.sha256(data).hexdigest(): data for data in files.values()}
    entries = {
        path: OutputFile(hashlib.sha256(data).hexdigest(), len(data), path.endswith(".sh"), "emit:berthing_api")
        for path, data in files.items()
    }
    whole = hashlib.sha256("\n".join([key, *entries, *blobs]).encode()).hexdigest()
    return OutputContent(entries, {"emit:berthing_api": key}, whole, lambda sha256, size: blobs[sha256])


def write_output(folder: OutputFolder, wanted: OutputContent, *, overwrite: bool = False) -> Written:
    return write_outputs([(folder, wanted)], overwrite=overwrite)[0]


@pytest.fixture
def folder(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path / "out" / "harbour", tmp_path / ".loom" / "output" / "harbour.marshal")


@pytest.fixture
def written(folder: OutputFolder) -> OutputFolder:
    write_output(folder, content(BERTHS))
    return folder


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of every file, and where every link leads."""
    return {
        str(path.relative_to(root)): (path.lstat().st_mode, path.readlink().as_posix().encode())
        if path.is_symlink()
        else (path.lstat().st_mode, path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def test_first_run_writes_every_file_with_its_executable_bit(written: OutputFolder) -> None:
    assert (written.root / "berthing_api/app/main.py").read_bytes() == b"print('hello')\n"
    assert os.access(written.root / "berthing_api/start.sh", os.X_OK)
    assert not os.access(written.root / "docker-compose.yml", os.X_OK)
    assert not (written.root / ".loom/tmp").exists()
    assert not (written.root / ".loom/writing.json").exists()


def test_modes_do_not_depend_on_the_umask(folder: OutputFolder) -> None:
    before = os.umask(0o077)
    try:
        write_output(folder, content(BERTHS))
    finally:
        os.umask(before)
    modes = {
        str(path.relative_to(folder.root)): stat.S_IMODE(path.stat().st_mode) for path in folder.root.rglob("*_*/**")
    }
    assert modes == {"berthing_api": 0o755, "berthing_api/app": 0o755}
    assert stat.S_IMODE((folder.root / "berthing_api/app/main.py").stat().st_mode) == 0o644
    assert stat.S_IMODE((folder.root / "berthing_api/start.sh").stat().st_mode) == 0o755


def test_second_run_writes_nothing_and_reads_no_file(written: OutputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise AssertionError("an unchanged file was read")

    monkeypatch.setattr("loom.build.output.look._no_link", refuse)
    assert is_settled(written, content(BERTHS).key) == ""
    assert write_output(written, content(BERTHS)).written == ()


def test_file_that_keeps_its_content_keeps_its_inode(written: OutputFolder) -> None:
    before = (written.root / "docker-compose.yml").stat()
    changed = {**BERTHS, "berthing_api/app/main.py": b"print('changed')\n"}
    assert write_output(written, content(changed)).written == ("berthing_api/app/main.py",)
    after = (written.root / "docker-compose.yml").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_deleted_file_returns(written: OutputFolder) -> None:
    (written.root / "berthing_api/app/main.py").unlink()
    assert is_settled(written, content(BERTHS).key) == "berthing_api/app/main.py is missing"
    assert write_output(written, content(BERTHS)).written == ("berthing_api/app/main.py",)
    assert is_settled(written, content(BERTHS).key) == ""


def edit(path: Path) -> None:
    path.write_bytes(b"print('hullo')\n")  # as long as the original


def keep_time(path: Path) -> None:
    before = path.stat()
    edit(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "notes.txt").write_text("mine")


def to_empty_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def to_empty_folders(path: Path) -> None:
    path.unlink()
    (path / "notes" / "later").mkdir(parents=True)


def to_link(path: Path) -> None:
    target = path.with_name("elsewhere.py")
    path.rename(target)
    path.symlink_to(target.name)


def to_other_mode(path: Path) -> None:
    path.chmod(0o755)


def to_link_above(path: Path) -> None:
    target = path.parent.with_name("elsewhere")
    path.parent.rename(target)
    path.parent.symlink_to(target.name)


SPOILS = [
    edit,
    keep_time,
    to_folder,
    to_empty_folder,
    to_empty_folders,
    to_link,
    to_other_mode,
    to_link_above,
]


@pytest.mark.parametrize("spoil", SPOILS)
def test_spoilt_file_stops_the_run_before_anything_changes(written: OutputFolder, spoil: object) -> None:
    assert callable(spoil)
    spoil(written.root / "berthing_api/app/main.py")
    before = snapshot(written.root)
    wanted = content({**BERTHS, "docker-compose.yml": b"services: {db: {}}\n", "new.txt": b"new"})
    assert is_settled(written, content(BERTHS).key) != ""
    with pytest.raises(OutputConflict) as caught:
        write_output(written, wanted)
    assert any("berthing_api/app" in path for path in caught.value.reasons)
    assert "berthing_api/app" in str(caught.value)
    assert snapshot(written.root) == before


@pytest.mark.parametrize("spoil", SPOILS)
def test_overwrite_restores_a_spoilt_file(written: OutputFolder, spoil: object) -> None:
    good = snapshot(written.root)
    assert callable(spoil)
    spoil(written.root / "berthing_api/app/main.py")
    done = write_output(written, content(BERTHS), overwrite=True)
    assert [path for path in done.lost if "berthing_api/app/main.py".startswith(path)]
    assert good.items() <= snapshot(written.root).items()
    assert not (written.root / "berthing_api/app").is_symlink()


def test_two_folders_are_written_both_or_not_at_all(written: OutputFolder, tmp_path: Path) -> None:
    other = OutputFolder(tmp_path / "out" / "bay", tmp_path / ".loom" / "output" / "bay.marshal")
    edit(written.root / "berthing_api/app/main.py")
    with pytest.raises(OutputConflict, match=r"out/harbour/berthing_api/app/main\.py: was edited"):
        write_outputs([(other, content(BERTHS)), (written, content(BERTHS))])
    assert not other.root.exists()
    (written.root / "berthing_api/app/main.py").unlink()
    done = write_outputs([(other, content(BERTHS)), (written, content(BERTHS))])
    assert [len(one.written) for one in done] == [4, 1]


def test_somebody_elses_file_is_not_replaced(folder: OutputFolder) -> None:
    folder.root.mkdir(parents=True)
    (folder.root / "docker-compose.yml").write_text("mine")
    with pytest.raises(OutputConflict, match=r"docker-compose\.yml: was not written by Loom"):
        write_output(folder, content(BERTHS))
    assert [path.name for path in folder.root.iterdir()] == ["docker-compose.yml"]


def test_somebody_elses_file_with_the_same_content_is_adopted(folder: OutputFolder) -> None:
    folder.root.mkdir(parents=True)
    (folder.root / "docker-compose.yml").write_bytes(BERTHS["docker-compose.yml"])
    assert "docker-compose.yml" not in write_output(folder, content(BERTHS)).written


def test_stale_file_goes_with_its_empty_folder(written: OutputFolder) -> None:
    result = write_output(written, content({"docker-compose.yml": BERTHS["docker-compose.yml"]}))
    assert "berthing_api/app/main.py" in result.removed
    assert not (written.root / "berthing_api").exists()


def test_stale_but_edited_file_stays_and_is_named(written: OutputFolder) -> None:
    mine = written.root / "berthing_api/app/main.py"
    edit(mine)
    wanted = content({"docker-compose.yml": BERTHS["docker-compose.yml"]})
    assert write_output(written, wanted).kept == ("berthing_api/app/main.py",)
    assert mine.exists()
    assert not mine.with_name("http_server.py").exists()
    assert clean_output(written).kept == ("berthing_api/app/main.py",)


def test_folder_may_become_a_file_and_a_file_a_folder(written: OutputFolder) -> None:
    swapped = {"berthing_api": b"now a file\n", "docker-compose.yml/part.yml": b"now a folder\n"}
    write_output(written, content(swapped))
    assert (written.root / "berthing_api").read_bytes() == b"now a file\n"
    assert (written.root / "docker-compose.yml/part.yml").is_file()


def test_folder_with_somebody_elses_file_does_not_become_a_file(written: OutputFolder) -> None:
    (written.root / "berthing_api/notes.txt").write_text("mine")
    with pytest.raises(OutputConflict, match="berthing_api: was replaced by a folder"):
        write_output(written, content({"berthing_api": b"now a file\n"}))
    assert (written.root / "berthing_api/app/main.py").exists()


@pytest.mark.parametrize("own", ["berthing_api/notes.txt", "berthing_api/app/notes/later.txt"])
@pytest.mark.parametrize("is_file", [True, False])
def test_folder_with_something_of_somebody_elses_becomes_a_file_when_they_say_so(
    written: OutputFolder, own: str, is_file: bool
) -> None:
    """An empty folder counts too: nothing can take its place unseen."""
    mine = written.root / own
    mine.parent.mkdir(exist_ok=True)
    if is_file:
        mine.write_text("mine")
    else:
        mine.mkdir()
    wanted = content({"berthing_api": b"now a file\n"})
    with pytest.raises(OutputConflict, match="berthing_api: was replaced by a folder"):
        write_output(written, wanted)
    assert (written.root / "berthing_api/app/main.py").exists() and mine.exists()
    assert write_output(written, wanted, overwrite=True).lost == {"berthing_api": "was replaced by a folder"}
    assert (written.root / "berthing_api").read_bytes() == b"now a file\n"
    assert is_settled(written, wanted.key) == ""


def test_link_in_the_folder_is_never_followed(written: OutputFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (written.root / "monitoring").symlink_to(outside)
    with pytest.raises(OutputConflict, match="monitoring: is no folder"):
        write_output(written, content({**BERTHS, "monitoring/prometheus.yml": b"{}\n"}))
    write_output(written, content({**BERTHS, "monitoring/prometheus.yml": b"{}\n"}), overwrite=True)
    assert list(outside.iterdir()) == []
    assert (written.root / "monitoring/prometheus.yml").is_file()


@pytest.mark.parametrize("path", ["../x", "/abs", "a/../../x", "C:\\x", "a\\..\\x", "a\0b", "", ".", "a/", "a//b"])
def test_path_that_leaves_the_folder_is_a_fault(folder: OutputFolder, path: str) -> None:
    with pytest.raises(ValueError, match="is not a path below the output folder"):
        write_output(folder, content({path: b"x"}))
    assert not folder.root.exists()


def test_file_that_is_also_a_folder_is_a_fault(folder: OutputFolder) -> None:
    with pytest.raises(ValueError, match="both a file and the folder"):
        write_output(folder, content({"app": b"x", "app/main.py": b"y"}))


def test_lost_content_changes_nothing(written: OutputFolder) -> None:
    before = snapshot(written.root)
    wanted = content({**BERTHS, "docker-compose.yml": b"new\n", "b.txt": b"new too\n"})

    def lose(sha256: str, size: int) -> bytes:
        if size == len(b"new too\n"):
            raise LookupError("the store lost it")
        return b"new\n"

    with pytest.raises(LookupError):
        write_output(written, wanted._replace(read=lose))
    assert snapshot(written.root) == before


def test_interrupted_run_is_taken_up(written: OutputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a run that died before its manifest are Loom's own, and so may change again."""
    first = content({**BERTHS, "docker-compose.yml": b"second\n", "only_once.txt": b"x"})
    with monkeypatch.context() as patched:
        patched.setattr(write_module, "_holds", _die)
        with pytest.raises(KeyboardInterrupt):
            write_output(written, first)
    assert (written.root / "docker-compose.yml").read_bytes() == b"second\n"
    result = write_output(written, content({**BERTHS, "docker-compose.yml": b"third\n"}))
    assert result.written == ("docker-compose.yml",)
    assert result.removed == ("only_once.txt",)


def test_new_folder_comes_in_with_all_of_it(written: OutputFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that was begun is nobody's: the next run makes it anew."""
    more = {**BERTHS, "berthing_api/tests/end/class.py": b"1", "berthing_api/tests/end/HTTPProbe.py": b"2"}
    with monkeypatch.context() as patched:
        patched.setattr("loom.build.output.place.write_all", _die_at(b"2", os.write))
        with pytest.raises(KeyboardInterrupt):
            write_output(written, content(more))
    assert not (written.root / "berthing_api/tests").exists()
    assert write_output(written, content(more)).written == (
        "berthing_api/tests/end/class.py",
        "berthing_api/tests/end/HTTPProbe.py",
    )
    assert not (written.root / ".loom/tmp").exists()
    assert is_settled(written, content(more).key) == ""


def _die_at(data: bytes, write: Callable[[int, bytes], int]) -> Callable[[int, bytes], None]:
    def write_all(handle: int, given: bytes) -> None:
        if given == data:
            raise KeyboardInterrupt
        write(handle, given)

    return write_all


def test_file_edited_while_the_others_are_written_is_seen(
    folder: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written is remembered as it was written, not as it lies there at the end."""

    def edited(*_: object) -> bool:
        (folder.root / "berthing_api/app/main.py").write_text("print('hello, harbour')\n")
        return False

    monkeypatch.setattr(write_module, "_holds", edited)
    write_output(folder, content(BERTHS))
    assert is_settled(folder, content(BERTHS).key) == "berthing_api/app/main.py was changed"


def _die(*_: object) -> bool:
    raise KeyboardInterrupt


def test_nothing_remembered_is_never_settled(folder: OutputFolder) -> None:
    assert is_settled(folder, "") == "nothing is remembered of the output folder"


def test_lost_memory_costs_nothing_but_time(written: OutputFolder) -> None:
    written.memory.unlink()
    assert is_settled(written, content(BERTHS).key) == "nothing is remembered of the output folder"
    assert write_output(written, content(BERTHS)).written == ()
    assert is_settled(written, content(BERTHS).key) == ""


def test_garbled_memory_and_manifest_are_no_crash(written: OutputFolder) -> None:
    written.memory.write_bytes(b"\x00garbled")
    (written.root / ".loom/manifest.json").write_text("{garbled")
    assert write_output(written, content(BERTHS)).written == ()


def test_new_key_alone_renews_the_manifest(written: OutputFolder) -> None:
    write_output(written, content(BERTHS, key="k2"))
    assert '"emit:berthing_api": "k2"' in (written.root / ".loom/manifest.json").read_text()
    assert is_settled(written, content(BERTHS, key="k2").key) == ""


def test_clean_removes_all_but_edited_and_foreign_files(written: OutputFolder) -> None:
    edit(written.root / "berthing_api/app/main.py")
    secret = written.root / "secrets/db_password"
    secret.parent.mkdir()
    secret.write_text("s3cret")
    assert clean_output(written, dryrun=True).removed == clean_output(written).removed != ()
    left = {path.name for path in written.root.rglob("*") if path.is_file()}
    assert left == {"main.py", "db_password", "manifest.json"}
    with pytest.raises(OutputConflict, match=r"main\.py: was edited"):
        write_output(written, content(BERTHS))


def test_clean_leaves_no_empty_folder(written: OutputFolder) -> None:
    clean_output(written)
    assert not written.root.exists()


def test_place_that_cannot_be_written_is_a_plain_message(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where the folder should be")
    folder = OutputFolder(tmp_path / "out/harbour", tmp_path / ".loom/harbour.marshal")
    with pytest.raises(ProjectProblem, match=f"cannot write {tmp_path}/out"):
        write_output(folder, content(BERTHS))


@pytest.mark.parametrize("path", [".loom/manifest.json", ".loom/writing.json", ".loom/tmp"])
def test_what_cannot_be_written_is_named_by_its_own_path(written: OutputFolder, path: str) -> None:
    place = written.root / path
    place.unlink(missing_ok=True)
    if path == ".loom/tmp":
        place.write_text("no folder")
    else:
        place.mkdir()
    changed = content({**BERTHS, "new.txt": b"new"}, key="k2")
    with pytest.raises(ProjectProblem, match=f"cannot write {re.escape(str(place))}: .* a directory"):
        write_output(written, changed)


@pytest.mark.parametrize("path", ["docker-compose.yml", "berthing_api/tests/end/class.py"])
def test_full_disk_is_told_of_the_file_that_did_not_fit(
    written: OutputFolder, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def refuse(handle: int, data: bytes) -> None:
        if data == b"too much":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.write(handle, data)

    monkeypatch.setattr("loom.build.output.place.write_all", refuse)
    with pytest.raises(ProjectProblem, match=f"cannot write {re.escape(str(written.root / path))}: No space"):
        write_output(written, content({**BERTHS, path: b"too much"}))
