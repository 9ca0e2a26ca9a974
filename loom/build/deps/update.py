"""`loom deps update BACKEND`: the manifest's names become a lock, and the lock a pinned tree.

In: a backend's folder in rules/deps. Out: its lock and its tree.lock, written anew.
Never: the stores: the same manifest gives another lock next month.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from loom.base import Digest
from loom.build.actions.cached import ActionFailed
from loom.build.deps.fixed import write_tree_lock
from loom.build.deps.locks import TREE_LOCK, deps_folder, lock_tree
from loom.build.rules.apply import apply_rule
from loom.build.rules.load import rule
from loom.build.sandbox.inputs import laid_out
from loom.build.sandbox.job import Job, Sandbox
from loom.build.sandbox.launcher import failed_step
from loom.build.store.content import ContentStore
from loom.build.store.folders import make_folder
from loom.build.toolchain.relock import root_or_relocked
from loom.build.toolchain.toolchain import toolchain


def update_deps(backend: str, project: Path, store: ContentStore, sandbox: Sandbox) -> tuple[Path, ...]:
    """Resolve and fetch; the files that were written. ActionFailed has the package manager's own words."""
    folder = deps_folder(backend, project)
    written: list[Path] = []
    with _made(f"deps/{backend}-lock", project, store, sandbox, backend) as lock:
        for file in sorted(lock.iterdir()):
            shutil.copyfile(file, folder / file.name)
            written.append(folder / file.name)
    with _made(f"deps/{backend}", project, store, sandbox, backend) as tree:
        write_tree_lock(folder / TREE_LOCK, tree)
    return (*written, folder / TREE_LOCK)


@contextmanager
def _made(name: str, project: Path, store: ContentStore, sandbox: Sandbox, backend: str) -> Iterator[Path]:
    """Run a rule that takes the backend's lock folder; its only output."""
    found = rule(name, project)
    root, _ = root_or_relocked(found.file.toolchain, project, None, store, sandbox)
    trees: Mapping[str, Digest] = dict.fromkeys(found.file.inputs, lock_tree(backend, project, store))
    work = store.root / "work"
    make_folder(str(store.root), str(work))
    with tempfile.TemporaryDirectory(dir=work, prefix="update-", ignore_cleanup_errors=True) as scratch:
        out = Path(scratch, "out")
        out.mkdir()
        chain = toolchain(found.file.toolchain, project)
        action = apply_rule(found, chain, trees)
        inputs = {item.name: laid_out(store, item.tree, sandbox.owner) for item in action.inputs}
        done = sandbox.run(Job(action, root.folder, root.identity, inputs, out, Path(scratch)))
        if done.code != 0 or done.trouble:
            reason = done.trouble or f"exit code {done.code}"
            raise ActionFailed(f"{name}, step `{failed_step(out)}`: {reason}", done.stdout, done.stderr)
        yield out / action.outputs[0].path.removeprefix("/out/")
