"""The output folder: what Loom writes, restores and removes."""

from __future__ import annotations

import os
import stat

import pytest

from loom.build.output.clean import clean_output
from loom.build.output.content import OutputConflict, OutputFolder
from loom.build.output.memory import is_settled
from loom.build.project.problem import ProjectProblem
from tests.engine.project.berths import BERTHS, content, edit, snapshot, write_output


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


def test_stale_file_goes_with_its_empty_folder(written: OutputFolder) -> None:
    result = write_output(written, content({"docker-compose.yml": BERTHS["docker-compose.yml"]}))
    assert "berthing_api/app/main.py" in result.removed
    assert not (written.root / "berthing_api").exists()


def test_folder_may_become_a_file_and_a_file_a_folder(written: OutputFolder) -> None:
    swapped = {"berthing_api": b"now a file\n", "docker-compose.yml/part.yml": b"now a folder\n"}
    write_output(written, content(swapped))
    assert (written.root / "berthing_api").read_bytes() == b"now a file\n"
    assert (written.root / "docker-compose.yml/part.yml").is_file()


@pytest.mark.parametrize("path", ["../x", "/abs", "a/../../x", "C:\\x", "a\\..\\x", "a\0b", "", ".", "a/", "a//b"])
def test_path_that_leaves_the_folder_is_a_fault(folder: OutputFolder, path: str) -> None:
    with pytest.raises(ValueError, match="is not a path below the output folder"):
        write_output(folder, content({path: b"x"}))
    assert not folder.root.exists()


def test_file_that_is_also_a_folder_is_a_fault(folder: OutputFolder) -> None:
    with pytest.raises(ValueError, match="both a file and the folder"):
        write_output(folder, content({"app": b"x", "app/main.py": b"y"}))


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


@pytest.mark.parametrize("damage", ["{garbled", "", "[]", '{"schema": "loom.manifest/0", "files": {}}'])
def test_damaged_manifest_is_noticed_and_written_anew(written: OutputFolder, damage: str) -> None:
    """What was seen in the last run says which files are Loom's, and how it left them."""
    manifest = written.root / ".loom/manifest.json"
    before = manifest.read_bytes()
    manifest.write_text(damage)
    assert is_settled(written, content(BERTHS).key) == ".loom/manifest.json was changed"
    done = write_output(written, content(BERTHS))
    assert (done.mended, done.written, done.kept) == (True, (), ()) and manifest.read_bytes() == before
    assert is_settled(written, content(BERTHS).key) == ""
    manifest.write_text(damage)
    fewer = {path: data for path, data in BERTHS.items() if path != "berthing_api/start.sh"}
    done = write_output(written, content({**fewer, "docker-compose.yml": b"services: {a: {}}\n"}))
    assert (done.mended, done.written, done.removed) == (True, ("docker-compose.yml",), ("berthing_api/start.sh",))


def test_damaged_manifest_loses_no_edit(written: OutputFolder) -> None:
    (written.root / ".loom/manifest.json").write_text("{garbled")
    edit(written.root / "berthing_api/app/main.py")
    before = snapshot(written.root)
    with pytest.raises(OutputConflict) as stopped:
        write_output(written, content(BERTHS))
    reasons = {str(path).removeprefix(f"{written.root}/"): said for path, said in stopped.value.reasons.items()}
    assert reasons == {
        "berthing_api/app/main.py": "was edited",
        ".loom/manifest.json": "cannot be read, and Loom knows its own files by it",
    }
    assert snapshot(written.root) == before


@pytest.mark.parametrize(("kind", "said"), [("file", "is no folder"), ("link", "is a link that leads to no folder")])
def test_what_is_no_folder_is_told_to_be_none(folder: OutputFolder, kind: str, said: str) -> None:
    folder.root.parent.mkdir(parents=True, exist_ok=True)
    folder.root.write_text("mine") if kind == "file" else folder.root.symlink_to("nowhere")
    with pytest.raises(ProjectProblem, match=f"{folder.root} {said}: remove it, or give the system another `out`"):
        write_output(folder, content(BERTHS))
    assert folder.root.is_symlink() or folder.root.read_text() == "mine"


def test_new_key_alone_renews_the_manifest(written: OutputFolder) -> None:
    write_output(written, content(BERTHS, key="k2"))
    assert '"emit:berthing_api": "k2"' in (written.root / ".loom/manifest.json").read_text()
    assert is_settled(written, content(BERTHS, key="k2").key) == ""


def test_clean_leaves_no_empty_folder(written: OutputFolder) -> None:
    clean_output(written)
    assert not written.root.exists()
