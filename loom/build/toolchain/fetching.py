"""The check that each locked package must pass when it is fetched.

In: a downloaded file and the digest it must have. Out: the file in the content store.
Never: bytes that differ from the lock.
"""

from __future__ import annotations

from pathlib import Path

from loom.build.store.content import ContentStore
from loom.build.toolchain.trouble import FetchError


def keep(store: ContentStore, file: Path, sha256: str, what: str) -> None:
    """Store `file`; FetchError when it is not the locked one."""
    digest = store.put_file(file)
    if digest.sha256 != sha256:
        raise FetchError(f"{what}: locked with sha256 {sha256}, but {digest.sha256} was delivered")
