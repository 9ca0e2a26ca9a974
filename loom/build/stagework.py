"""Tasks that run pure stages: one stage, for one unit or for all of them.

In: a workspace, a stage, its units. Out: the work of `parse:<file>`, `lower`, `emit:<deployable>` …
Never: a file outside the stores.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.build.state import Known
from loom.build.work import How, Options, Outcome, WorkFailed
from loom.build.workspace import Workspace, combined


class StageWork(NamedTuple):
    """`unit` is None for every unit that the stage has."""

    workspace: Workspace
    name: str
    stage: str
    unit: str | None = None

    def known(self) -> Known | None:
        return self.workspace.recall(self.name, self._known)

    def missing(self) -> str:
        return ""

    def replay(self) -> str:
        products = self.workspace.products
        found = [item for unit in self._units() for item in products.diagnostics(self.stage, unit)]
        return self.workspace.report(tuple(found))

    def run(self, options: Options) -> Outcome:
        if self.unit is None and self.workspace.mistakes():
            raise WorkFailed(self._all_mistakes())
        products = self.workspace.products
        steps = [products.step(self.stage, unit) for unit in self._units()]
        if any(step.errors for step in steps):
            raise WorkFailed(self._all_mistakes())
        known = self.workspace.remember(self.name, self._known())
        how: How = "ran" if any(step.how == "ran" for step in steps) else "restored"
        return Outcome(how, known, self.replay() if known.warnings else "")

    def _all_mistakes(self) -> str:
        """Every mistake of the model at once, whichever task met the first one."""
        if self.workspace.reported_once():
            return ""
        return self.workspace.mistakes() or self.replay()

    def preimages(self) -> dict[str, bytes]:
        products = self.workspace.products
        return {unit: products.preimage(self.stage, unit) for unit in self._units()}

    def _known(self) -> Known:
        products = self.workspace.products
        steps = {unit: products.step(self.stage, unit) for unit in self._units()}
        entries = tuple((unit, step.key) for unit, step in steps.items())
        return Known(combined([key for _, key in entries]), sum(step.warnings for step in steps.values()), entries)

    def _units(self) -> tuple[str, ...]:
        if self.unit is not None:
            return (self.unit,)
        products = self.workspace.products
        return products.units(products.stage(self.stage).per)
