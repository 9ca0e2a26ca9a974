"""The output folder where somebody else was: what they made or changed is never lost unseen."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.build.output.clean import clean_output
from loom.build.output.content import OutputConflict, OutputFolder
from loom.build.output.memory import is_settled
from loom.build.output.write import write_outputs
from tests.engine.project.berths import BERTHS, content, edit, snapshot, write_output


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
def test_spoilt_file_stops_the_run_before_anything_changes(
    written: OutputFolder, spoil: Callable[[Path], None]
) -> None:
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
def test_overwrite_restores_a_spoilt_file(written: OutputFolder, spoil: Callable[[Path], None]) -> None:
    good = snapshot(written.root)
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


def test_stale_but_edited_file_stays_and_is_named(written: OutputFolder) -> None:
    mine = written.root / "berthing_api/app/main.py"
    edit(mine)
    wanted = content({"docker-compose.yml": BERTHS["docker-compose.yml"]})
    assert write_output(written, wanted).kept == ("berthing_api/app/main.py",)
    assert mine.exists()
    assert not mine.with_name("http_server.py").exists()
    assert clean_output(written).kept == ("berthing_api/app/main.py",)


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
