"""The content store on a real file system: damage, links, odd names, other umasks."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.store.content import BlobLost, ContentStore
from loom.build.store.tree import Tree, TreeError, TreeFile, TreeLink


@pytest.fixture
def store(tmp_path: Path) -> ContentStore:
    return ContentStore(tmp_path / "store")


def blob(store: ContentStore, digest: Digest) -> Path:
    return Path(store.path(digest.sha256))


def test_bytes_come_back_and_are_read_only(store: ContentStore) -> None:
    digest = store.put(b"tide table")
    assert store.get(digest) == b"tide table"
    assert stat.S_IMODE(blob(store, digest).stat().st_mode) == 0o444
    assert store.has(digest) and not store.has(Digest.of(b"else"))


@pytest.mark.parametrize("damage", [b"", b"tide", b"tide tablE", b"tide table and more"])
def test_damaged_blob_is_put_aside_and_lost(store: ContentStore, damage: bytes) -> None:
    digest = store.put(b"tide table")
    place = blob(store, digest)
    place.chmod(0o600)
    place.write_bytes(damage)
    with pytest.raises(BlobLost):
        store.get(digest)
    assert not place.exists()
    assert place.with_name(place.name + ".bad").read_bytes() == damage
    assert store.put(b"tide table") == digest
    assert store.get(digest) == b"tide table"


def test_missing_blob_is_lost(store: ContentStore) -> None:
    with pytest.raises(BlobLost):
        store.get(Digest.of(b"never stored"))


def test_folder_survives_a_round_trip(store: ContentStore, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "run me.sh").write_text("#!/bin/sh\n")
    (folder / "deep" / "er" / "run me.sh").chmod(0o755)
    (folder / "line\nbreak").write_bytes(b"")
    (folder / "émile").write_bytes(b"\xff")
    (folder / ("n" * 255)).write_bytes(b"long")
    (folder / "CON").write_bytes(b"a device, elsewhere")
    (folder / "deep" / "link").symlink_to("../émile")
    tree = store.capture(folder)
    store.materialise(tree, tmp_path / "copy")
    assert store.capture(tmp_path / "copy") == tree
    assert str((tmp_path / "copy" / "deep" / "link").readlink()) == "../émile"
    assert stat.S_IMODE((tmp_path / "copy" / "deep" / "er" / "run me.sh").stat().st_mode) == 0o555
    assert stat.S_IMODE((tmp_path / "copy" / "deep").stat().st_mode) == 0o755
    assert store.get_tree(store.put_tree(tree)) == tree


def test_materialise_is_all_or_nothing(store: ContentStore, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_text(name)
    tree = store.capture(folder)
    blob(store, Digest.of(b"b")).unlink()
    with pytest.raises(BlobLost):
        store.materialise(tree, tmp_path / "copy")
    assert {path.name for path in tmp_path.iterdir()} == {"project", "store"}


def test_modes_do_not_depend_on_the_umask(store: ContentStore, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        tree = Tree.of([TreeFile(path="in/file", sha256=store.put(b"x").sha256, size=1)])
        store.materialise(tree, tmp_path / "copy", writable=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "copy" / "in" / "file").stat().st_mode) == 0o644


@pytest.mark.parametrize("target", ["/etc/passwd", "../../up", "a/../../up", "a/..", "", "a//b"])
def test_link_out_of_the_folder_is_refused(store: ContentStore, tmp_path: Path, target: str) -> None:
    with pytest.raises(TreeError):
        Tree.of([TreeLink(path="deep/link", target=target)])


def test_pipe_in_a_folder_is_refused(store: ContentStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TreeError, match="pipe"):
        store.capture(tmp_path)


@pytest.mark.parametrize(
    "path",
    ["", ".", "..", "/abs", "../x", "a/../../x", "a/./b", "a//b", "a/", "C:/x", "a\\b", "nul\0", "e\u0301"],
)
def test_hostile_path_is_refused(path: str) -> None:
    with pytest.raises(TreeError):
        Tree.of([TreeFile(path=path, sha256="0", size=0)])


@pytest.mark.parametrize(
    "paths",
    [("a", "a"), ("Readme", "README"), ("a", "a/b"), ("Dir/a", "dir/b"), ("x/D/a", "x/d/b"), ("A", "a/c")],
)
def test_clashing_paths_are_refused(paths: tuple[str, str]) -> None:
    with pytest.raises(TreeError):
        Tree.of(TreeFile(path=path, sha256="0", size=0) for path in paths)


def test_siblings_with_a_common_start_are_no_clash() -> None:
    paths = ["a/b", "a.b", "a-b/c", "ab/c", "a/c/d", "a/cd"]
    assert len(Tree.of(TreeFile(path=path, sha256="0", size=0) for path in paths).entries) == 6
