"""The output folder when a run dies or cannot write: nothing is half there, and the next run takes it up."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.build.output import write as write_module
from loom.build.output.content import OutputFolder
from loom.build.output.memory import is_settled
from loom.build.project import ProjectProblem
from tests.engine.project.berths import BERTHS, content, snapshot, write_output


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
