"""What the stages gave whose output is written: by asking the compiler, or straight from the stores.

In: stages or stores, tasks. Out: keys, lists of files, their bytes. Never: a stage run to answer for a known key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from loom.build.project.settings import System
from loom.build.state import Known, Outline

if TYPE_CHECKING:
    from loom.base.files import ListedFile
    from loom.build.steps.products import StoredProducts
    from loom.build.steps.step import Step, StoredSteps


Keys = Mapping[tuple[str, str], str]
"""Those of steps, by stage and unit."""


class EmittedFile(NamedTuple):
    path: str
    text: str
    executable: bool


class Written(NamedTuple):
    """One step whose files go below `folder` (empty for the output folder itself)."""

    task: str
    stage: str
    unit: str
    folder: str


class Emitted(Protocol):
    """Where steps come from."""

    def step(self, stage: str, unit: str) -> Step: ...

    def value(self, stage: str, unit: str, part: str) -> object:
        """One part of what the step gave."""
        ...


class FromStages(NamedTuple):
    """What is missing is made."""

    products: StoredProducts

    def step(self, stage: str, unit: str) -> Step:
        return self.products.step(stage, unit)

    def value(self, stage: str, unit: str, part: str) -> object:
        return self.products.value(self.products.part(stage, unit, part))


class FromStore:
    """Steps whose keys are known already; LookupError for one that the stores have lost. Loads no compiler."""

    def __init__(self, stored: StoredSteps, keys: Keys) -> None:
        self._keys = keys
        self._stored = stored
        self._steps: dict[tuple[str, str], Step] = {}

    def step(self, stage: str, unit: str) -> Step:
        known = self._steps.get((stage, unit)) or self._stored.known(self._keys[stage, unit])
        if known is None:
            raise LookupError(self._keys[stage, unit])
        self._steps[stage, unit] = known
        return known

    def value(self, stage: str, unit: str, part: str) -> object:
        return self._stored.values.load(*self.step(stage, unit).parts[part])


def written_steps(outline: Outline, system: System, tasks: Mapping[str, str]) -> Iterator[Written]:
    """The steps of a system whose files are written. `tasks` names the task of a stage, `{}` standing for the unit."""
    per = dict(outline.stages)
    for stage, task in tasks.items():
        if per[stage] == "system":
            yield Written(task, stage, system.name, "")
            continue
        for slug, _, owner in outline.deployables:
            if owner == system.name:
                yield Written(task.format(slug), stage, slug, f"{slug}/")


def standing_keys(known: Known, steps: list[Written]) -> Keys | None:
    """What the stores alone have to be asked for, if that is nothing but what `known` names, step by step."""
    if [step.task for step in steps] != [task for task, _ in known.entries]:
        return None
    return {(step.stage, step.unit): key for step, (_, key) in zip(steps, known.entries, strict=True)}


def listed_files(emitted: Emitted, stage: str, unit: str) -> tuple[ListedFile, ...]:
    """The files of a stage whose output is written, without their bytes."""
    from loom.base.files import Listing

    listing = emitted.value(stage, unit, "listing")
    if not isinstance(listing, Listing):
        raise TypeError(f"{stage} has no files to write")
    return listing.files


def emitted_files(emitted: Emitted, stage: str, unit: str) -> Iterator[EmittedFile]:
    """The same, with their texts."""
    data, offset = emitted_bytes(emitted, stage, unit), 0
    for file in listed_files(emitted, stage, unit):
        yield EmittedFile(file.path, data[offset : offset + file.size].decode(), file.executable)
        offset += file.size


def emitted_bytes(emitted: Emitted, stage: str, unit: str) -> bytes:
    """Of all its files, end to end."""
    content = emitted.value(stage, unit, "content")
    assert isinstance(content, bytes)
    return content
