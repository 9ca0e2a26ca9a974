"""The sandbox and the roots that the actions of one project run in, made when the first one has to run.

In: a project. Out: a `cached.World`. Never: a sandbox or a root for a run that only restores.
"""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path

from loom.build.project.settings import Project
from loom.build.sandbox.job import Sandbox
from loom.build.store.content import ContentStore
from loom.build.store.folders import in_use
from loom.build.toolchain.trouble import FetchError


class ProjectWorld:
    """`isolated` is known without asking for the sandbox: only `none`, which is said aloud, is not."""

    def __init__(self, project: Project, content: ContentStore) -> None:
        self._project = project
        self._content = content
        self._lock = threading.RLock()
        self._names: dict[str, str] = {}
        self.isolated = project.sandbox != "none"

    def announce(self, identity: str, name: str) -> None:
        """The toolchain `name` is what `identity` stands for."""
        self._names[identity] = name

    def sandbox(self) -> Sandbox:
        with self._lock:
            return self._sandbox

    def stop(self) -> None:
        """Ends what runs, if anything ever did."""
        if "_sandbox" in self.__dict__:
            self._sandbox.running.stop()

    @cached_property
    def _sandbox(self) -> Sandbox:
        from loom.build.sandbox.choose import choose_sandbox

        return choose_sandbox(self._project.sandbox)

    def root(self, identity: str) -> Path:
        """Built when it is not there; only that needs a sandbox."""
        there = self._content.root / "roots" / identity
        if there.is_dir():
            in_use(str(there))
            return there
        from loom.build.toolchain.relock import root_or_relocked

        name = self._names[identity]
        prefer = self._project.provider(name)
        root, warning = root_or_relocked(
            name, self._project.root, prefer, self._content, self.sandbox(), committed=self._project.locked
        )
        if root.identity != identity:
            raise FetchError(f"{warning}\nrun it again: every key with this toolchain is a new one")
        return root.folder
