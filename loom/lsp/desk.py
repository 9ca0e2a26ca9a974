"""The projects that an editor has files of, and the texts that it has open.

In: paths and texts. Out: a `Work` for each project. Never: the protocol.
"""

from __future__ import annotations

import threading
from pathlib import Path

from loom.build.project.load import FILE, find_root, load_project
from loom.build.project.problem import ProjectProblem
from loom.build.project.settings import Project
from loom.build.stamps import Stamp, stamp
from loom.lsp.checking import Checker, lone_file, read
from loom.lsp.session import Session
from loom.parse.findings import Finding
from loom.parse.parser import readable


class Work:
    """One project: its compiler, its names, what was found last. Only one thread at a time may check."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.checker = Checker(project)
        self.session = Session(project)
        self.texts: dict[str, bytes] = {}
        self.found: dict[str, tuple[Finding, ...]] = {}
        self.generation = 0
        self.lock = threading.Lock()

    def check(self, texts: dict[str, bytes], *, late: bool) -> dict[str, tuple[Finding, ...]]:
        """Files in which something was found before are in it too, empty-handed when all is well."""
        with self.lock:
            found = self.checker.findings(texts, late=late)
            cleared = dict.fromkeys(self.found, ())
            self.found = found
            return {**cleared, **found}

    def text(self, file: str) -> str:
        return readable(file, read(self.project.root, self.texts, file) or b"")

    def ready(self) -> Session:
        """The session, brought up to the texts that are open."""
        self.session.update(self.texts)
        return self.session


class Desk:
    def __init__(self) -> None:
        self._works: dict[Path, tuple[Stamp, Work]] = {}

    def work(self, path: Path) -> tuple[Work, str]:
        """The project that a file belongs to, and the file's name in it."""
        try:
            root = find_root(path.parent)
        except ProjectProblem:
            return self._known(path, None), path.name
        return self._known(root, root / FILE), path.relative_to(root).as_posix()

    def _known(self, key: Path, settings: Path | None) -> Work:
        """A project is read anew when its settings have changed."""
        now = stamp(str(settings)) if settings else None
        known = self._works.get(key)
        if known is not None and known[0] == now:
            return known[1]
        try:
            project = load_project(key) if settings else lone_file(key)
        except ProjectProblem:
            project = lone_file(key / "main.ddd")
        work = Work(project)
        if known is not None:
            work.texts = known[1].texts
        self._works[key] = now, work
        return work
