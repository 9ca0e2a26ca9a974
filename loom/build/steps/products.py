"""What every stage gives for every unit, made when it is first asked for.

In: a pipeline, a step runner and what lies outside the model. Out: steps, parts, values.
Never: a print, an order of its own, or work when only a look was asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeVar

from loom.base import Diagnostic
from loom.base.pipeline import Deployed, Input, Part, Per, Pipeline, StageLike, SystemEntry
from loom.build.phases import phase
from loom.build.steps.step import Findings, Step, StepRunner
from loom.build.store.content import BlobLost
from loom.build.store.entries import DIAGNOSTICS, WHOLE

T = TypeVar("T")


class NotKnown(Exception):
    """Only a look was asked for, and the store does not have it."""


class Outside(NamedTuple):
    """Everything that is no product: the project's files, and values by name and unit."""

    systems: tuple[SystemEntry, ...]
    read: Callable[[str], bytes | None]
    names: Callable[[], tuple[str, ...]]
    given: Callable[[str, str], Input]


class StoredProducts:
    """Makes what is missing, unless `looking`."""

    def __init__(self, pipeline: Pipeline, runner: StepRunner, outside: Outside) -> None:
        self._pipeline = pipeline
        self._runner = runner
        self._outside = outside
        self._stages = {stage.name: stage for stage in pipeline.STAGES}
        self._steps: dict[tuple[str, str], Step] = {}
        self._parts: dict[tuple[str, str, str], Part] = {}
        self._makers: dict[str, tuple[str, str]] = {}
        self._sources: dict[str, bytes | None] = {}
        self._given: dict[tuple[str, str], Input] = {}
        self._lock = threading.RLock()
        self._looking = False

    def stage(self, name: str) -> StageLike:
        return self._stages[name]

    def stages(self) -> Iterator[StageLike]:
        return iter(self._pipeline.STAGES)

    def step(self, stage: str, unit: str) -> Step:
        """What `stage` gives for `unit`: remembered, restored or made now."""
        with self._lock:
            known = self._steps.get((stage, unit))
            return known or self._remember(stage, unit, self._make(self._stages[stage], unit))

    def look(self, ask: Callable[[], T]) -> T | None:
        """What `ask` gives when no stage may run; None when one would have to."""
        with self._lock:
            before, self._looking = self._looking, True
            try:
                return ask()
            except (NotKnown, BlobLost):
                return None
            finally:
                self._looking = before

    def _make(self, stage: StageLike, unit: str) -> Step:
        inputs = stage.reads(self, unit)
        if not self._looking:
            with phase(f"{stage.name}/{unit}"):
                return self._healing(lambda: self._runner.run(stage, inputs))
        known = self._runner.known(self._runner.key(stage, inputs)[0])
        if known is None:
            raise NotKnown(f"{stage.name}/{unit}")
        return known

    def _remember(self, stage: str, unit: str, step: Step) -> Step:
        self._steps[stage, unit] = step
        for name in step.parts:
            self._parts.pop((stage, unit, name), None)
        for digest in step.parts.values():
            self._makers[digest.sha256] = (stage, unit)
        return step

    def _healing(self, ask: Callable[[], T]) -> T:
        """Whatever the store has lost is made again by the step that once made it."""
        healed: set[str] = set()
        while True:
            try:
                return ask()
            except BlobLost as lost:
                maker = self._makers.get(lost.sha256)
                if self._looking or maker is None or lost.sha256 in healed:
                    raise
                healed.add(lost.sha256)
                self._make_again(*maker)

    def _make_again(self, name: str, unit: str) -> None:
        stage = self._stages[name]
        inputs = stage.reads(self, unit)
        self._remember(name, unit, self._healing(lambda: self._runner.again(stage, inputs)))

    def keys(self) -> dict[str, str]:
        """Of every step that was asked for so far."""
        with self._lock:
            return {f"{stage}/{unit}": step.key for (stage, unit), step in self._steps.items()}

    def preimage(self, stage: str, unit: str) -> bytes:
        """What the key of that step is the digest of, as of now."""
        found = self._stages[stage]
        return self._runner.key(found, found.reads(self, unit))[1]

    def part(self, stage: str, unit: str, name: str = WHOLE) -> Part:
        known = self._parts.get((stage, unit, name))
        if known is None:
            known = Part(f"{stage}/{unit}.{name}", *self.step(stage, unit).parts[name])
            self._parts[stage, unit, name] = known
        return known

    def value(self, part: Part) -> object:
        known = self._runner.values.known(part.sha256)
        return known if known is not None else self._loaded(part)

    def _loaded(self, part: Part) -> object:
        return self._healing(lambda: self._runner.values.load(part.sha256, part.size))

    def source(self, path: str) -> bytes | None:
        if path not in self._sources:
            self._sources[path] = self._outside.read(path)
        return self._sources[path]

    def names(self) -> tuple[str, ...]:
        return self._outside.names()

    def given(self, name: str, unit: str = "") -> Input:
        """Asked for once a run: services of one platform share what is given to them."""
        if (name, unit) not in self._given:
            self._given[name, unit] = self._outside.given(name, unit)
        return self._given[name, unit]

    def sound(self, stage: str, unit: str) -> bool:
        return self.step(stage, unit).errors == 0

    def diagnostics(self, stage: str, unit: str) -> tuple[Diagnostic, ...]:
        step = self.step(stage, unit)
        if not step.errors + step.warnings:
            return ()
        findings = self.value(self.part(stage, unit, DIAGNOSTICS))
        assert isinstance(findings, Findings)
        return findings.diagnostics

    def entry(self, system: str) -> str:
        return next(item.entry for item in self._outside.systems if item.name == system)

    def units(self, per: Per) -> tuple[str, ...]:
        match per:
            case "file":
                return self.files
            case "context":
                return self.contexts
            case "deployable":
                return tuple(deployed.slug for deployed in self.deployables)
            case "system":
                return tuple(system.name for system in self._outside.systems)

    @cached_property
    def files(self) -> tuple[str, ...]:
        return self._pipeline.files(self, self._outside.systems)

    @cached_property
    def contexts(self) -> tuple[str, ...]:
        return self._pipeline.contexts(self)

    @cached_property
    def deployables(self) -> tuple[Deployed, ...]:
        return self._pipeline.deployables(self)
