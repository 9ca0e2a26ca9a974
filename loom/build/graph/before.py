"""Which tasks of stages had other keys with the model of another time.

In: a workspace, the files of the model that were different. Out: whether keys differ.
Never: a guess: what an unsound model would give is said to differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from loom.build.graph.reads import StepName
from loom.build.work.stages import StageWork

if TYPE_CHECKING:
    from loom.build.steps.products import StoredProducts
    from loom.build.workspace import Workspace


class Before:
    """`files` are those that differed, below the project's folder; None for one that was not there."""

    def __init__(self, workspace: Workspace, files: Mapping[str, bytes | None]) -> None:
        self._workspace = workspace
        self._files = files

    @cached_property
    def _products(self) -> StoredProducts:
        return self._workspace.products_of(self._read)

    def _read(self, path: str) -> bytes | None:
        return self._files[path] if path in self._files else self._workspace.products.source(path)

    @cached_property
    def is_comparable(self) -> bool:
        """Both models are sound; of others nothing can be said."""
        return not any(
            products.step(*step).errors
            for products in (self._products, self._workspace.products)
            for step in self._workspace.pipeline.checks(products)
        )

    def differs(self, work: StageWork) -> bool:
        """Whether a task had other steps, or one of them another key."""
        return not self.is_comparable or work.units(self._products) != work.units() or self.step_differs(work.units())

    def step_differs(self, steps: Iterable[StepName]) -> bool:
        """The same of steps that are there now."""
        wanted = list(steps)
        return not self.is_comparable or _keyed(self._products, wanted) != _keyed(self._workspace.products, wanted)


def _keyed(products: StoredProducts, steps: Sequence[StepName]) -> list[bytes]:
    """What their keys are the digests of; nothing for one that is not there."""
    there = {stage: products.units(products.stage(stage).per) for stage, _ in steps}
    return [products.preimage(stage, unit) if unit in there[stage] else b"" for stage, unit in steps]
