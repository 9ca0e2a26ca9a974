"""Where a declaration was read, and the diagnostics found in it."""

from __future__ import annotations

import msgspec

from loom.base import Diagnostic, Feature, NodePath, node_path
from loom.ir.places import Place
from loom.ir.uses import Use, Uses


class Source(msgspec.Struct, frozen=True):
    """One chunk of one file. The lists only grow; they are the output of a stage besides its value."""

    file: str
    chunk: str
    problems: list[Diagnostic] = msgspec.field(default_factory=list)
    places: list[Place] = msgspec.field(default_factory=list)
    uses: list[Use] = msgspec.field(default_factory=list)

    def place(self, at: int) -> NodePath:
        return node_path(self.file, self.chunk, at)

    def report(self, problem: Diagnostic) -> None:
        self.problems.append(problem)

    def declare(self, at: int, *path: str) -> None:
        self.places.append(Place(path=path, at=self.place(at)))

    def use(self, at: int, feature: Feature) -> None:
        """Remembers a use of a construct that not every target has."""
        self.uses.append(Use(feature=feature, at=self.place(at)))

    def used(self) -> Uses:
        return Uses(entries=tuple(dict.fromkeys(self.uses)))

    def unsupported(self, at: int, feature: str, instead: str = "") -> None:
        # Most models use no unsupported construct, and this keeps `scope` free of the wording.
        from loom.lower.problems.names import UnsupportedFeature

        remedy = f"use `{instead}` in its place" if instead else "remove it"
        self.report(UnsupportedFeature(at=self.place(at), target="loom", feature=feature, remedy=remedy))
