"""Roots although the archive moved on: a locked package that is gone is resolved again, in the same suite.

In: a toolchain's name and a project. Out: a root, and a warning when its lock is no longer the committed one.
Never: a silent change: the new lock has a file of its own in .loom/locks, and a new identity; or one under --locked.
"""

from __future__ import annotations

from pathlib import Path

from loom.build.sandbox.job import Sandbox
from loom.build.store.content import ContentStore
from loom.build.toolchain.debian import lock_debian
from loom.build.toolchain.lock import write_lock
from loom.build.toolchain.model import ProviderName
from loom.build.toolchain.root import Root, build_root
from loom.build.toolchain.toolchain import Toolchain, replaced_lock, toolchain
from loom.build.toolchain.trouble import FetchError, PackageGone


def root_or_relocked(
    name: str,
    project: Path,
    prefer: ProviderName | None,
    store: ContentStore,
    sandbox: Sandbox,
    *,
    committed: bool = False,
) -> tuple[Root, str]:
    """The root, and what to tell a person; the text is empty when the lock was good.

    `committed`: FetchError instead of any other lock than the committed one.
    """
    chain = toolchain(name, project, prefer, committed=committed)
    try:
        return build_root(chain, store, sandbox), ""
    except PackageGone as gone:
        if committed:
            raise FetchError(f"{gone}; --locked takes no other: `loom toolchain lock {name}`, and commit it") from gone
        warning = _relock(chain, project, store, gone)
    return build_root(toolchain(name, project, prefer), store, sandbox), warning


def _relock(chain: Toolchain, project: Path, store: ContentStore, gone: PackageGone) -> str:
    source = next((item.debian for item in chain.file.providers if item.debian is not None), None)
    if source is None or chain.provider != "debian":
        raise FetchError(str(gone)) from gone
    path = replaced_lock(chain.folder, project)
    write_lock(path, chain.name, chain.lock.model_copy(update={"debian": lock_debian(source, store)}))
    return (
        f"warning: the archive no longer has what toolchain {chain.name} was locked to; "
        f"{path.relative_to(project)} is used instead (`loom toolchain lock {chain.name}` makes it lasting)"
    )
