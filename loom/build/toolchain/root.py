"""Roots on disk: built from a lock alone, once per identity, complete or not at all.

In: a toolchain, the content store, a sandbox for the preparation. Out: a folder.
Never: the network for what the store already holds, or a half-built root under its final name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple, assert_never

from loom.build.actions.action import Action, ActionLimits, ActionOutput, ActionStep
from loom.build.sandbox.bubblewrap import bubblewrap
from loom.build.sandbox.inputs import give_to
from loom.build.sandbox.job import Job, Sandbox, SandboxError
from loom.build.sandbox.launcher import failed_step
from loom.build.sandbox.world import EMPTY_FOLDERS, NAMES
from loom.build.store.content import ContentStore
from loom.build.store.folders import in_use, make_folder
from loom.build.store.locks import held
from loom.build.toolchain.archive import lay_folder
from loom.build.toolchain.debian import lay_debian
from loom.build.toolchain.oci import lay_oci
from loom.build.toolchain.toolchain import Toolchain
from loom.build.toolchain.trouble import FetchError, RootError
from loom.build.toolchain.wheels import lay_wheels

_LIMITS = ActionLimits(memory=2 << 30, processes=256)


class Root(NamedTuple):
    """An unpacked root and the identity that enters keys."""

    folder: Path
    identity: str


def root_folder(chain: Toolchain, store: ContentStore) -> Path:
    """Where the root of this toolchain is, once it is built."""
    return store.root / "roots" / chain.identity


def build_root(chain: Toolchain, store: ContentStore, sandbox: Sandbox) -> Root:
    """The root of `chain`, built at the first use."""
    target = root_folder(chain, store)
    if not target.is_dir():
        make_folder(str(store.root), str(target.parent))
        # Two builders of one root wait for each other instead of both building it.
        with held(str(target.parent), target.with_suffix(".lock").name):
            if not target.is_dir():
                _build(chain, store, _builder(sandbox), target)
    in_use(str(target))
    return Root(target, chain.identity)


def _builder(sandbox: Sandbox) -> Sandbox:
    """Bubblewrap where it works: docker would need an image of every state of a root."""
    try:
        return bubblewrap()
    except SandboxError:
        return sandbox


def _build(chain: Toolchain, store: ContentStore, sandbox: Sandbox, target: Path) -> None:
    fresh = target.with_name(f"{target.name}.{os.urandom(6).hex()}")
    try:
        fresh.mkdir(mode=0o755)
        _lay_provider(chain, fresh, store)
        for overlay, lock in zip(chain.file.overlays, chain.lock.overlays, strict=True):
            lay_wheels(overlay, lock, fresh, store)
        _lay_world(fresh)
        for command in chain.file.prepare:
            with tempfile.TemporaryDirectory(dir=target.parent, prefix="prepare-") as scratch:
                out = _run(chain, fresh, sandbox, Path(scratch), command.name, command.argv)
                lay_folder(out / "overlay", fresh)
        _normalise(fresh)
        _probe(chain, fresh, sandbox, target.parent)
        os.sync()  # nothing in a root has a digest by which a power cut would be noticed
        fresh.rename(target)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _lay_provider(chain: Toolchain, root: Path, store: ContentStore) -> None:
    match chain.provider:
        case "debian":
            if chain.lock.debian is not None:
                lay_debian(chain.lock.debian, root, store)
        case "oci":
            if chain.lock.oci is not None:
                lay_oci(chain.lock.oci, root)
        case _:
            assert_never(chain.provider)


def _lay_world(root: Path) -> None:
    for name in EMPTY_FOLDERS:
        (root / name).mkdir(exist_ok=True)
    for path, text in {**NAMES, "etc/ssl/certs/ca-certificates.crt": ""}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).unlink(missing_ok=True)
        (root / path).write_text(text)
    (root / "etc/mtab").unlink(missing_ok=True)
    (root / "etc/mtab").symlink_to("/proc/mounts")


def _probe(chain: Toolchain, root: Path, sandbox: Sandbox, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder, prefix="probe-") as scratch:
        shell = ("/bin/sh", "-c", 'mkdir -p /out/overlay && "$@" > /out/overlay/probe', "probe", *chain.file.probe.argv)
        said = (_run(chain, root, sandbox, Path(scratch), "probe", shell) / "overlay/probe").read_text()
    if chain.file.probe.expect not in said:
        wanted = chain.file.probe.expect
        raise RootError(f"toolchain {chain.name}: expected `{wanted}`, the probe said `{said.strip()}`")


def _run(chain: Toolchain, root: Path, sandbox: Sandbox, scratch: Path, name: str, argv: tuple[str, ...]) -> Path:
    """Run one command in an unfinished root; the folder of what it wrote."""
    out = scratch / "out"
    out.mkdir(mode=0o755)
    if sandbox.owner is not None:
        give_to(out, sandbox.owner)
    action = Action(
        kind=f"toolchain/{chain.name}", steps=(ActionStep(name=name, argv=argv),),
        env=tuple(sorted(chain.file.env.items())), outputs=(ActionOutput(name="overlay", path="/out/overlay"),),
        toolchain=f"{chain.identity}-{name}", timeout=600, limits=_LIMITS,
    )  # fmt: skip
    try:
        done = sandbox.run(Job(action, root, action.toolchain, {}, out, scratch))
    finally:
        sandbox.forget(root)
    if done.code != 0 or done.trouble:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise RootError(f"toolchain {chain.name}: {failed_step(out)} failed: {done.trouble or said}")
    return out


def _normalise(root: Path) -> None:
    """The same owner and modes whoever built it, and with whatever umask."""
    root.chmod(0o755)
    for place, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink():
                continue
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    # Docker lays a mount point's own mode over what is mounted there.
    # kept by tests/engine/world/test_world.py::test_every_sandbox_shows_the_same_world
    (root / "tmp").chmod(0o1777)


__all__ = ["FetchError", "Root", "RootError", "build_root", "root_folder"]
