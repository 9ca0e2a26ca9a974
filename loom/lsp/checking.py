"""What is wrong with a project as it is in the editor, found by the compiler itself.

In: a project on disk, and texts that stand in for some of its files. Out: findings, file by file.
Never: anything written; what was found before is remembered step by step, as the engine does.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from loom import compiler
from loom.base import Diagnostic
from loom.base.pipeline import Input, SystemEntry
from loom.build.project.models import model_files
from loom.build.project.settings import Project, System
from loom.build.steps.code import Code
from loom.build.steps.given import given
from loom.build.steps.products import Outside, StoredProducts
from loom.build.steps.step import StepRunner
from loom.lsp.memory import MemoryContent, MemoryResults
from loom.parse.findings import Finding, findings

# Steps are forgotten after so many rounds, so that a long day does not fill the memory.
ROUNDS = 300
# Stages that only a sound model reaches; they are not worth waiting for at every keystroke.
LATE = frozenset(("context", "service"))


class Checker:
    """One project, looked at again and again."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._code = Code(str(Path(compiler.__file__).parent.parent))
        self._rounds = 0
        self._runner = self._fresh()

    def _fresh(self) -> StepRunner:
        return StepRunner(MemoryContent(), MemoryResults(), self._code)

    def products(self, texts: Mapping[str, bytes]) -> StoredProducts:
        """`texts` win over the files of their names, which are relative to the project."""
        self._rounds += 1
        if self._rounds % ROUNDS == 0:
            self._runner = self._fresh()
        systems = tuple(SystemEntry(system.name, system.entry) for system in self.project.systems)
        root = self.project.root
        outside = Outside(systems, lambda path: read(root, texts, path), lambda: model_files(root), self._given)
        return StoredProducts(compiler, self._runner, outside)

    def _given(self, name: str, unit: str) -> Input:
        return given(self.project, name, unit, {})

    def findings(self, texts: Mapping[str, bytes], *, late: bool) -> dict[str, tuple[Finding, ...]]:
        """What is wrong with each file that the model reaches, and with each in `texts`."""
        with _uncollected():
            return self._findings(texts, late=late)

    def _findings(self, texts: Mapping[str, bytes], *, late: bool) -> dict[str, tuple[Finding, ...]]:
        products = self.products(texts)
        found = tuple(self._diagnostics(products, late=late))
        files = dict.fromkeys((*products.files, *texts))
        stray = [file for file in texts if file not in products.files and products.source(file) is not None]
        found += tuple(item for file in stray for item in products.diagnostics("parse", file))
        made = findings(found, compiler.sources_of(products, found))
        return {file: tuple(item for item in made if item.file == file) for file in files}

    def _diagnostics(self, products: StoredProducts, *, late: bool) -> Iterator[Diagnostic]:
        for stage, unit in compiler.checks(products):
            if late or stage not in LATE:
                yield from compiler.believed(products, stage, unit, products.diagnostics(stage, unit))
            elif len(self.project.systems) == 1:
                return  # going on would make what nobody waits for


@contextmanager
def _uncollected() -> Iterator[None]:
    """Frozen values have no cycles: looking for some takes a third of the time and finds nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def read(root: Path, texts: Mapping[str, bytes], path: str) -> bytes | None:
    if path in texts:
        return texts[path]
    try:
        return (root / path).read_bytes()
    except OSError:
        return None


def lone_file(path: Path) -> Project:
    """A file that belongs to no project is one of its own."""
    return Project(
        root=path.parent,
        systems=(System("model", path.name, "out"),),
        sandbox="none",
        toolchains=(),
        store=path.parent,
        locked=False,
        may_lose_data=False,
    )
