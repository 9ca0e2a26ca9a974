"""What each step of the compiler reads, to the file: the keys' own ingredients, by name.

In: a workspace. Out: for each step, the steps and files that its key is made from. Never: a stage that runs for it
beyond those that say what there is to build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loom.base import Value
from loom.base.pipeline import Hint, Input, Part, Per
from loom.build.data import PACKAGE
from loom.build.stamps import Stamp
from loom.build.steps.given import given

if TYPE_CHECKING:
    from loom.build.workspace import Workspace

StepName = tuple[str, str]
"""Stage and unit."""


class Reads(NamedTuple):
    """`named` says of each position among the inputs which file or folder it is, where it is one."""

    parts: tuple[tuple[StepName, str], ...]
    """Steps, and which part of what each gave."""
    files: frozenset[Path]
    named: dict[int, str]

    @property
    def steps(self) -> tuple[StepName, ...]:
        return tuple(dict.fromkeys(step for step, _ in self.parts))


class Reading:
    """The products of a workspace, noting where the inputs of a step are from."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._products = workspace.products
        self._known: dict[StepName, Reads] = {}
        self._files: list[tuple[Input, str, frozenset[Path]]] = []

    def of(self, step: StepName) -> Reads:
        """What the key of `step` is made from."""
        if step not in self._known:
            stage, unit = step
            self._files = []
            inputs = self._products.stage(stage).reads(self, unit)
            self._known[step] = self._noted(stage, inputs)
        return self._known[step]

    def _noted(self, stage: str, inputs: tuple[Input, ...]) -> Reads:
        found = {at: told for at, item in enumerate(inputs) if (told := self._place(item)) is not None}
        files = frozenset(path for _, paths in found.values() for path in paths)
        parts = tuple(step_of(part.label) for part in parts_of(inputs))
        return Reads(parts, files, {at: name for at, (name, _) in found.items()})

    def _place(self, item: Input) -> tuple[str, frozenset[Path]] | None:
        """The very object that was handed out, not one that equals it."""
        return next(((name, paths) for known, name, paths in self._files if known is item), None)

    def code(self, stage: str) -> frozenset[Path]:
        """The files of Loom that a stage is made of."""
        import json

        found = json.loads(self._workspace.code.manifest(self._products.stage(stage).run.__module__))
        return frozenset(PACKAGE.parent / name for name in found["files"])

    def source(self, path: str) -> bytes | None:
        data = self._products.source(path)
        self._files.append((data or b"", path, frozenset([self._workspace.project.root / path])))
        return data

    def names(self) -> tuple[str, ...]:
        return self._products.names()

    def given(self, name: str, unit: str = "") -> Input:
        stamps: dict[str, Stamp] = {}
        found = given(self._workspace.project, name, unit, stamps)
        first = next(iter(stamps), unit)
        self._files.append((found, told_path(self._workspace.project.root, Path(first)), frozenset(map(Path, stamps))))
        return found

    def part(self, stage: str, unit: str, name: str = "value") -> Part:
        return self._products.part(stage, unit, name)

    def value(self, part: Part) -> object:
        return self._products.value(part)

    def entry(self, system: str) -> str:
        return self._products.entry(system)

    def units(self, per: Per) -> tuple[str, ...]:
        return self._products.units(per)

    def sound(self, stage: str, unit: str) -> bool:
        return self._products.sound(stage, unit)


def parts_of(inputs: Iterable[Input]) -> Iterator[Part]:
    """Every part among inputs that is in the key."""
    for item in inputs:
        match item:
            case Part():
                yield item
            case Hint() | str() | bytes() | Value():
                pass
            case _:
                yield from parts_of(item)


def step_of(label: str) -> tuple[StepName, str]:
    """The step and the name of the part that a label stands for."""
    stage, _, rest = label.partition("/")
    unit, _, name = rest.rpartition(".")
    return (stage, unit), name


def told_path(root: Path, path: Path) -> str:
    """As people call it: below the project, or below Loom."""
    for above in (root, PACKAGE.parent):
        if path.is_relative_to(above):
            return path.relative_to(above).as_posix()
    return str(path)
