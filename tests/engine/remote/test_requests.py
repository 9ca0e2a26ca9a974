"""What is sent of an action: the same wherever it is sent from, and nothing of the machine that sends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.remote.execution.request import Request, request
from loom.build.remote.execution.roots import root_files
from loom.build.store.content import ContentStore
from tests.engine.core.bare import shell

PLATFORM = {"OSFamily": "linux"}


def root_below(folder: Path) -> Path:
    """A root of a few files."""
    root = folder / "root"
    (root / "usr/lib").mkdir(parents=True)
    (root / "usr/lib/ld-linux-class.so.2").write_text("loads programs")
    (root / "usr/end").write_text("#!/bin/sh\n")
    (root / "usr/end").chmod(0o755)
    (root / "lib").symlink_to("usr/lib")
    (root / "out").mkdir()
    (root / "etc").mkdir()
    return root


def asked(folder: Path) -> Request:
    root, store = root_below(folder), ContentStore(folder / "store")
    return request("f" * 64, shell("cp /in/model/name /out/report", store.root), root, store, PLATFORM)


def test_request_is_the_same_from_every_machine(tmp_path: Path) -> None:
    first, second = (asked(tmp_path / name) for name in ("one", "class end"))
    assert first.action == second.action and set(first.sources) == set(second.sources)


def test_request_names_nothing_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOM_CANARY_SECRET", "seagull-7391")
    sources = asked(tmp_path / "tide house").sources
    made = [data for digest in sources if isinstance(data := sources[digest], bytes)]
    for word in (b"tide house", str(Path.home()).encode() + b"/", b"seagull-7391"):
        assert not [data for data in made if word in data]


@pytest.mark.parametrize("change", ["key", "program", "link", "mode", "empty folder"])
def test_whatever_a_worker_could_see_changes_the_request(tmp_path: Path, change: str) -> None:
    before = asked(tmp_path / "one")
    folder = tmp_path / "two"
    root = root_below(folder)
    if change == "program":
        (root / "usr/end").write_text("#!/bin/sh\nexit\n")
    elif change == "link":
        (root / "lib").unlink()
        (root / "lib").symlink_to("usr")
    elif change == "mode":
        (root / "usr/end").chmod(0o644)
    elif change == "empty folder":
        (root / "build").mkdir()
    action, store = shell("cp /in/model/name /out/report", folder / "store"), ContentStore(folder / "store")
    key = ("e" if change == "key" else "f") * 64
    assert request(key, action, root, store, PLATFORM).action != before.action


def test_every_source_has_the_bytes_of_its_digest(tmp_path: Path) -> None:
    sources = asked(tmp_path / "one").sources
    for digest in sources:
        source = sources[digest]
        assert Digest.of(source if isinstance(source, bytes) else Path(source).read_bytes()) == digest


def test_root_is_hashed_once_and_again_when_it_was_built_anew(tmp_path: Path) -> None:
    root = root_below(tmp_path)
    first = root_files(root)
    (root / "usr/end").write_text("nobody reads it again\n")
    assert root_files(root) == first
    root.rename(tmp_path / "old")
    again = root_files(root_below(tmp_path / "new").rename(root))
    assert again == first
    (tmp_path / "root.files").write_bytes(b"garbled")
    assert root_files(root) == first
