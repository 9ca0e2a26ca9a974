"""Toolchains: identity, roots from a lock alone, bytes that differ from the lock, fixed dependency trees."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest
import yaml

from loom.build.actions.cached import ActionFailed
from loom.build.data import data_folder
from loom.build.deps.fixed import differences, fingerprints, must_match, write_tree_lock
from loom.build.deps.locks import TREE_LOCK, deps_folder, lock_files
from loom.build.project.problem import SettingsError
from loom.build.sandbox.bubblewrap import Bubblewrap, wheel_bubblewrap
from loom.build.sandbox.choose import choose_sandbox
from loom.build.sandbox.image import write_image
from loom.build.sandbox.job import Job, SandboxError
from loom.build.store.content import ContentStore
from loom.build.toolchain.fetching import keep
from loom.build.toolchain.relock import root_or_relocked
from loom.build.toolchain.root import build_root, root_folder
from loom.build.toolchain.toolchain import replaced_lock, toolchain, toolchain_names
from loom.build.toolchain.trouble import FetchError, PackageGone
from tests.engine.world.world_kit import action, the_root, the_sandbox, the_store


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a copy of the node toolchain as its own."""
    shutil.copytree(data_folder("toolchains") / "node", tmp_path / "toolchains" / "node")
    return tmp_path


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_every_toolchain_is_locked() -> None:
    assert {"python", "node", "e2e-python", "e2e-node"} <= set(toolchain_names())
    identities = [toolchain(name).identity for name in toolchain_names()]
    assert len(set(identities)) == len(identities)


def test_identity_is_that_of_the_lock(project: Path) -> None:
    assert toolchain("node", project).identity == toolchain("node").identity
    rewrite(project / "toolchains/node/toolchain.yaml", 'version: "24"', 'version: "25"')
    assert toolchain("node", project).identity == toolchain("node").identity, "a version string decides nothing"
    lock = project / "toolchains/node/lock.yaml"
    data = yaml.safe_load(lock.read_text())
    data["overlays"][0]["wheels"][0]["sha256"] = "0" * 64
    lock.write_text(yaml.safe_dump(data))
    assert toolchain("node", project).identity != toolchain("node").identity


def test_toolchain_without_a_lock_says_how_to_make_one(project: Path) -> None:
    (project / "toolchains/node/lock.yaml").unlink()
    with pytest.raises(SettingsError, match="loom toolchain lock node"):
        toolchain("node", project)


def test_unlocked_provider_is_refused_when_preferred() -> None:
    with pytest.raises(SettingsError, match="`oci` is preferred but not locked"):
        toolchain("python", None, "oci")


def test_root_is_built_once() -> None:
    assert build_root(toolchain("python"), the_store(), the_sandbox("bubblewrap")).folder == the_root().folder
    made = the_root().folder.stat().st_ino
    assert build_root(toolchain("python"), the_store(), the_sandbox("bubblewrap")).folder.stat().st_ino == made


def test_two_builds_of_a_root_are_the_same_bytes(tmp_path: Path) -> None:
    first = the_root("node").folder
    # The packages come from the same content store, the root goes elsewhere.
    other = ContentStore(tmp_path)
    (tmp_path / "cas").symlink_to(the_store().root / "cas")
    second = build_root(toolchain("node"), other, the_sandbox("bubblewrap")).folder
    assert contents(first) == contents(second)
    assert write_image(first, tmp_path / "first.tar") == write_image(second, tmp_path / "second.tar")


def test_root_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not by then is what a power cut may empty, and no digest would tell."""
    the_root()
    store = ContentStore(tmp_path)
    (tmp_path / "cas").symlink_to(the_store().root / "cas")
    chain = toolchain("python")
    written: list[str] = []

    def sync() -> None:
        assert not root_folder(chain, store).exists()
        (fresh,) = (tmp_path / "roots").glob(f"{chain.identity}.*[!k]")
        written.append(contents(fresh))

    monkeypatch.setattr(os, "sync", sync)
    made = build_root(chain, store, the_sandbox("bubblewrap")).folder
    assert written and written[-1] == contents(made)


def contents(root: Path) -> str:
    sha = hashlib.sha256()
    for place, folders, files in os.walk(root):
        folders.sort()
        for name in sorted([*folders, *files]):
            path = Path(place, name)
            body = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
            sha.update(f"{path.relative_to(root)} {path.lstat().st_mode:o} ".encode() + hashlib.sha256(body).digest())
    return sha.hexdigest()


def test_root_has_no_privileged_file_and_no_host_path() -> None:
    for path in the_root("e2e-node").folder.rglob("*"):
        if not path.is_symlink():
            assert path.stat().st_mode & 0o6002 == 0 or path.name == "tmp", path
        else:
            assert str(the_store().root) not in str(path.readlink())


def test_delivered_bytes_must_be_the_locked_ones(tmp_path: Path) -> None:
    file = tmp_path / "class_1.0_amd64.deb"
    file.write_bytes(b"other bytes")
    with pytest.raises(FetchError, match=r"class 1\.0: locked with sha256 0000"):
        keep(ContentStore(tmp_path / "store"), file, "0" * 64, "class 1.0")


def test_lost_package_is_locked_anew_aloud(project: Path, tmp_path: Path) -> None:
    lock = project / "toolchains/node/lock.yaml"
    rewrite(lock, "version: 9.1-1\n", "version: 9.0-gone\n")
    data = yaml.safe_load(lock.read_text())
    data["debian"]["packages"][0]["sha256"] = "1" * 64
    lock.write_text(yaml.safe_dump(data))
    before = toolchain("node", project)
    with pytest.raises(PackageGone):
        build_root(before, the_store(), the_sandbox("bubblewrap"))
    arguments = ("node", project, None, the_store(), the_sandbox("bubblewrap"))
    with pytest.raises(FetchError, match="--locked takes no other: `loom toolchain lock node`"):
        root_or_relocked(*arguments, committed=True)
    assert not replaced_lock(before.folder, project).exists()
    root, warning = root_or_relocked(*arguments)
    assert warning.startswith("warning: the archive no longer has what toolchain node was locked to; .loom/locks/node-")
    assert root.identity == toolchain("node", project).identity != before.identity
    assert replaced_lock(before.folder, project).is_file()
    assert toolchain("node", project, committed=True).identity == before.identity
    with pytest.raises(FetchError, match="--locked takes no other"):
        root_or_relocked(*arguments, committed=True)


def test_automatic_choice_takes_docker_then_bubblewrap_then_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert choose_sandbox("auto").name == "docker"
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/class.sock")
    assert choose_sandbox("auto").name == "bubblewrap"
    with pytest.raises(SandboxError, match="no Docker engine answers"):
        choose_sandbox("docker")
    monkeypatch.setattr("loom.build.sandbox.bubblewrap.find_bubblewrap", lambda: None)
    with pytest.raises(SandboxError, match=r"(?s)docker: .*bubblewrap: .*apt-get install bubblewrap"):
        choose_sandbox("auto")


def test_none_is_never_chosen_unasked() -> None:
    assert [choose_sandbox("auto").name, choose_sandbox("bubblewrap").name] == ["docker", "bubblewrap"]
    assert choose_sandbox("none").name == "none"


PACKAGES = {"hono/index.js": "1", "@types/node/index.d.ts": "2", "zod/END.js": "3"}


def fetched(folder: Path) -> Path:
    for name, text in PACKAGES.items():
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tree" / name).write_text(text)
    (folder / "tree/zod/link").symlink_to("END.js")
    return folder


def test_fetched_tree_must_be_the_pinned_one(tmp_path: Path) -> None:
    out = fetched(tmp_path / "out")
    lock = tmp_path / TREE_LOCK
    write_tree_lock(lock, out / "tree")
    must_match(lock, "tree")(out)
    (out / "tree/@types/node/index.d.ts").write_text("other")
    (out / "tree/class").mkdir()
    (out / "tree/class/x").write_text("new")
    shutil.rmtree(out / "tree/hono")
    with pytest.raises(ActionFailed, match=r"@types/node \(differs\), class \(not locked\), hono \(missing\)"):
        must_match(lock, "tree")(out)


@pytest.mark.parametrize("change", ["mode", "link", "name"])
def test_mode_link_and_name_count(tmp_path: Path, change: str) -> None:
    before = fingerprints(fetched(tmp_path) / "tree")
    place = tmp_path / "tree/zod"
    match change:
        case "mode":
            (place / "END.js").chmod(0o755)
        case "link":
            (place / "link").unlink()
            (place / "link").symlink_to("index.js")
        case "name":
            (place / "END.js").rename(place / "end.js")
    assert differences(before, fingerprints(tmp_path / "tree")) == ["zod (differs)"]


def test_byte_code_does_not_count(tmp_path: Path) -> None:
    before = fingerprints(fetched(tmp_path) / "tree")
    (tmp_path / "tree/zod/__pycache__").mkdir()
    (tmp_path / "tree/zod/__pycache__/x.pyc").write_text("x")
    assert fingerprints(tmp_path / "tree") == before


@pytest.mark.parametrize("backend", ["python", "node"])
def test_locks_pin_hashes_and_name_no_registry(backend: str) -> None:
    files = dict(lock_files(backend, None))
    lock = files["requirements.lock" if backend == "python" else "package-lock.json"].decode()
    assert "resolved" not in lock and "index-url" not in lock
    assert ("--hash=sha256:" if backend == "python" else '"integrity": "sha512-') in lock
    assert TREE_LOCK not in files
    assert (deps_folder(backend, None) / TREE_LOCK).is_file()


def test_bubblewrap_of_the_wheel_does_when_the_system_has_none() -> None:
    program = wheel_bubblewrap()
    assert program is not None
    scratch = Path(tempfile.mkdtemp(dir=the_store().root / "work"))
    (scratch / "out").mkdir()
    probe = action("python3", "-c", "import os\nprint(os.getuid())")
    job = Job(probe, the_root().folder, the_root().identity, {}, scratch / "out", scratch)
    assert Bubblewrap(program).run(job).stdout == b"1000\n"
