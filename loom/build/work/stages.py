"""Tasks that run pure stages, for one unit or for all of them.

In: a workspace, stages, perhaps a unit. Out: the work of `parse:<file>`, `lower`, `emit:<deployable>` …
Never: a file outside the stores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from loom.build.state import Known
from loom.build.work.work import How, Options, Outcome, WorkFailed
from loom.build.workspace import Workspace, combined

if TYPE_CHECKING:
    from loom.build.steps.products import StoredProducts
    from loom.build.steps.step import Step


class StageWork(NamedTuple):
    """Every step of these stages: those of one unit, or all that there are when `unit` is None."""

    workspace: Workspace
    name: str
    stages: tuple[str, ...]
    unit: str | None = None

    def known(self) -> Known | None:
        return self.workspace.recall(self.name, self._known)

    def missing(self) -> str:
        return ""

    def replay(self) -> str:
        products = self.workspace.products
        found = [item for stage, unit in self.units() for item in products.diagnostics(stage, unit)]
        return self.workspace.report(tuple(found))

    def run(self, options: Options) -> Outcome:
        done = self.workspace.done(self.name)
        if done is not None and self._is_stored(done):
            return Outcome("restored", self.workspace.remember(self.name, done), self.replay() if done.warnings else "")
        if self.unit is None and self.workspace.mistakes():
            raise WorkFailed(self._all_mistakes())
        steps = self._steps().values()
        if any(step.errors for step in steps):
            raise WorkFailed(self._all_mistakes())
        known = self.workspace.remember(self.name, self._known())
        how: How = "ran" if any(step.how == "ran" for step in steps) else "restored"
        return Outcome(how, known, self.replay() if known.warnings else "")

    def _is_stored(self, done: Known) -> bool:
        """Whether the stores have all of it.

        kept by tests/engine/core/test_doit.py::test_lost_output_is_put_back_without_the_compiler
        """
        steps = [self.workspace.stored.known(key) for _, key in done.entries]
        return all(step is not None and not step.errors for step in steps)

    def _all_mistakes(self) -> str:
        """Every mistake of the model at once, whichever task met the first one."""
        if self.workspace.reported_once():
            return ""
        return self.workspace.mistakes() or self.replay()

    def preimages(self) -> dict[str, bytes]:
        products = self.workspace.products
        return {f"{stage}/{unit}": products.preimage(stage, unit) for stage, unit in self.units()}

    def _known(self) -> Known:
        steps = self._steps()
        entries = tuple((name, step.key) for name, step in steps.items())
        return Known(combined([key for _, key in entries]), self._warnings(), entries)

    def _warnings(self) -> int:
        """How many the report shows: what several services have in common is told once."""
        products = self.workspace.products
        found = (item for stage, unit in self.units() for item in products.diagnostics(stage, unit))
        return len({(item.at, item.code, item.text()) for item in found if item.severity == "warning"})

    def _steps(self) -> dict[str, Step]:
        products = self.workspace.products
        return {f"{stage}/{unit}": products.step(stage, unit) for stage, unit in self.units()}

    def units(self, among: StoredProducts | None = None) -> list[tuple[str, str]]:
        """Stage and unit of each step; `among` has those of another time."""
        if self.unit is not None:
            return [(stage, self.unit) for stage in self.stages]
        products = among or self.workspace.products
        return [(stage, unit) for stage in self.stages for unit in products.units(products.stage(stage).per)]
