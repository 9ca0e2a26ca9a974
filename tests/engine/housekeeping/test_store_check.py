"""A store that is checked: every harm is found and repaired, and what others do meanwhile is none."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.build.housekeeping import inventory
from loom.build.housekeeping.check import faults, repair
from loom.build.housekeeping.inventory import Item, blobs, entries
from loom.build.store.content import ContentStore
from tests.engine.core.tide_project import LoomProject, loom
from tests.engine.housekeeping.stores import act, keys


@pytest.mark.parametrize("harm", ["flip", "cut", "lose", "garble", "foreign"])
def test_check_finds_every_harm_and_repairs_it(root: Path, harm: str) -> None:
    key = act(root, "quay")
    entry = entries(root)[0]
    assert entry.blobs is not None
    place = Path(ContentStore(root).path(entry.blobs[0].sha256))
    result = Path(entry.item.path)
    for path in (place, result):
        path.chmod(0o600)
    match harm:
        case "flip":
            place.write_bytes(place.read_bytes()[:-1] + b"~")
        case "cut":
            place.write_bytes(b"")
        case "lose":
            place.unlink()
        case "garble":
            result.write_text("{")
        case "foreign":
            result.rename(result.with_name("f" * 64 + ".json"))
    found = list(faults(root))
    assert found and repair(found) == len(found)
    assert list(faults(root)) == []
    assert act(root, "quay") == key and list(faults(root)) == []


def test_what_others_make_during_a_check_is_no_fault(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was wrong before is found all the same."""
    act(root, "quay")
    made: list[str] = []

    def busy(path: str) -> str:
        if len(made) < 3:
            made.append(act(root, f"class_{len(made)}"))
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()

    monkeypatch.setattr("loom.build.housekeeping.check._sha256", busy)
    assert list(faults(root)) == []
    assert made and keys(root) > set(made)
    lost = next(iter(blobs(root).values())).path
    Path(lost).unlink()
    assert any(Path(lost).name in fault.text for fault in faults(root))


def test_result_that_is_forgotten_while_results_are_listed_is_not_garbled(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, forgotten = act(root, "quay"), act(root, "berth")

    listed = inventory.files

    def forgetting(folder: Path) -> Iterator[Item]:
        for item in listed(folder):
            if Path(item.path).name == f"{forgotten}.json":
                Path(item.path).unlink()
            yield item

    monkeypatch.setattr(inventory, "files", forgetting)
    assert list(faults(root)) == []
    assert keys(root) == {kept}


def test_check_without_repair_changes_nothing(project: LoomProject) -> None:
    """Whichever blob is damaged: the one that tells of a step's code is read by the check itself."""
    store = project.root / "store"
    for victim in (store / "cas").rglob("[0-9a-f]" * 64):
        victim.chmod(0o600)
        victim.write_bytes(victim.read_bytes()[:-1] + b"~")
    before = {path: path.lstat().st_mtime_ns for folder in ("cas", "ac") for path in (store / folder).rglob("*")}
    told = loom(project, "cache", "fsck", code=1)
    loom(project, "cache", "stats")
    after = {path: path.lstat().st_mtime_ns for folder in ("cas", "ac") for path in (store / folder).rglob("*")}
    assert after == before
    assert loom(project, "cache", "fsck", code=1) == told


def test_check_of_a_damaged_store_fails_until_it_is_repaired(project: LoomProject) -> None:
    victim = next((project.root / "store" / "cas").rglob("[0-9a-f]" * 64))
    victim.chmod(0o600)
    victim.write_bytes(b"~")
    assert f"blob {victim.name} is damaged" in loom(project, "cache", "fsck", code=1)
    assert "will be made again" in loom(project, "cache", "fsck", "--repair")
    assert "everything is sound" in loom(project, "cache", "fsck")
    shutil.rmtree(project.root / "out")
    project.doit()
