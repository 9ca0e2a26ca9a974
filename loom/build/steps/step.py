"""Pure steps: a stage applied to values, done once for each key.

In: a stage and its inputs. Out: the digests of what it gave, and whether it ran or was known already.
Never: a decision about order, or a result without the preimage of its key.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, Protocol

from loom.base import Diagnostic, Digest, Value
from loom.base.pipeline import Hint, Input, Part
from loom.build.project.problem import ProjectProblem
from loom.build.remote.protocol.declared import of_step
from loom.build.remote.protocol.entry import Shared
from loom.build.steps.code import Code
from loom.build.store.atomic import Json, canonical_json
from loom.build.store.content import ContentStore
from loom.build.store.entries import DIAGNOSTICS, WHOLE, BadEntry, digest, number, rows, text
from loom.build.store.results import ResultStore
from loom.build.store.values import Values

SCHEMA = "loom.step/1"

How = Literal["ran", "restored"]

# A tree may be 200 levels deep, and a stage goes down a level in up to nine calls, most of them of Python alone, which
# take no room on the stack of a thread.
CALLS = 10_000


class Runnable(Protocol):
    """What a step needs of a stage. `run` gives its output and diagnostics.

    The output is one value, or a NamedTuple of values that others may read one by one.
    """

    @property
    def name(self) -> str: ...

    @property
    def run(self) -> Callable[..., tuple[object, tuple[Diagnostic, ...]]]: ...


class Findings(Value):
    """The diagnostics of one step, each by its own canonical text, for there is no end of their types."""

    items: tuple[str, ...]

    @classmethod
    def of(cls, found: Iterable[Diagnostic]) -> Findings:
        return cls(items=tuple(item.canonical().decode() for item in found))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(Diagnostic.from_canonical(item.encode()) for item in self.items)


class Step(NamedTuple):
    """What one step gave. `errors` and `warnings` count its diagnostics."""

    key: str
    parts: dict[str, Digest]
    errors: int
    warnings: int
    how: How


class StoredSteps:
    """Steps that the stores have, by their keys."""

    def __init__(self, content: ContentStore, results: ResultStore) -> None:
        self._content = content
        self._results = results
        self.values = Values(content)

    def known(self, key: str) -> Step | None:
        """The stored step of `key`, if all that it names is there."""
        entry = self._results.read(key)
        if entry is None:
            return None
        try:
            step, bundle = _from_entry(key, entry)
        except BadEntry:
            return None
        if not self._content.has(bundle):
            return None
        self.values.locate(step.parts.values(), bundle.sha256)
        return step


class StepRunner:
    """Looks a step up by its key, else runs it and stores what it gave. `shared` is where others keep results."""

    def __init__(
        self,
        content: ContentStore,
        results: ResultStore,
        code: Code,
        *,
        read: bool = True,
        shared: Shared | None = None,
    ) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), CALLS))
        self._content = content
        self._results = results
        self._code = code
        self._read = read
        self._shared = shared
        self._manifests: set[str] = set()
        self._stored = StoredSteps(content, results)
        self.values = self._stored.values

    def key(self, stage: Runnable, inputs: tuple[Input, ...]) -> tuple[str, bytes]:
        """The key and its preimage."""
        preimage = canonical_json(
            {
                "schema": SCHEMA,
                "stage": stage.name,
                "code": self._code.digest(stage.run.__module__),
                "function": stage.run.__qualname__,
                "inputs": [_described(item) for item in inputs if not isinstance(item, Hint)],
            }
        )
        return hashlib.sha256(preimage).hexdigest(), preimage

    def known(self, key: str) -> Step | None:
        """The stored step of `key`, unless everything is to be done anew."""
        return self._stored.known(key) if self._read else None

    def run(self, stage: Runnable, inputs: tuple[Input, ...]) -> Step:
        key, preimage = self.key(stage, inputs)
        return self.known(key) or self._fetched(stage, key) or self._execute(stage, inputs, key, preimage)

    def _fetched(self, stage: Runnable, key: str) -> Step | None:
        if self._shared is None or not self._read:
            return None
        return self.known(key) if self._shared.fetch(key, of_step(stage.run)) else None

    def again(self, stage: Runnable, inputs: tuple[Input, ...]) -> Step:
        """Run it although its key is known: the store has lost something of it."""
        return self._execute(stage, inputs, *self.key(stage, inputs))

    def _execute(self, stage: Runnable, inputs: tuple[Input, ...], key: str, preimage: bytes) -> Step:
        arguments = [self._loaded(item) for item in inputs]
        started = time.perf_counter_ns()
        output, diagnostics = stage.run(*arguments)
        spent = (time.perf_counter_ns() - started) // 1_000_000
        self._refuse_changed(stage.run.__module__)
        named = output._asdict() if isinstance(output, tuple) and hasattr(output, "_asdict") else {WHOLE: output}
        if diagnostics:
            named[DIAGNOSTICS] = Findings.of(diagnostics)
        errors = sum(item.severity == "error" for item in diagnostics)
        digests, bundle = self.values.keep(named.values(), preimage)
        step = Step(key, dict(zip(named, digests, strict=True)), errors, len(diagnostics) - errors, "ran")
        self._keep_manifest(stage.run.__module__)
        self._results.write(key, _to_entry(step, bundle, Digest.of(preimage), spent))
        if self._shared is not None:
            self._shared.push(key)
        return step

    def _refuse_changed(self, module: str) -> None:
        """What ran is what was loaded, what the key says is what lies there: both must be the same."""
        if changed := self._code.changed(module):
            raise ProjectProblem(f"{changed} changed while Loom ran, so what it made is not kept: run it again")

    def _keep_manifest(self, module: str) -> None:
        if module not in self._manifests:
            self._content.put(self._code.manifest(module))
            self._manifests.add(module)

    def _loaded(self, item: Input) -> object:
        match item:
            case Part():
                return self.values.load(item.sha256, item.size)
            case Hint():
                return self._loaded(item.part)
            case str() | bytes() | Value():
                return item
            case _:
                return tuple([self._loaded(part) for part in item])


def _described(item: Input) -> Json:
    match item:
        case Part(label=label, sha256=sha256, size=size):
            return {"part": label, "sha256": sha256, "size": size}
        case Value():
            return {"value": type(item).__name__, **_digest(item.canonical())}
        case str():
            return {"text": item}
        case bytes():
            return {"bytes": None, **_digest(item)}
        case _:
            return [_described(part) for part in item if not isinstance(part, Hint)]


def _digest(data: bytes) -> dict[str, Json]:
    sha256, size = Digest.of(data)
    return {"sha256": sha256, "size": size}


def _to_entry(step: Step, bundle: Digest, preimage: Digest, spent: int) -> dict[str, Json]:
    """`outputs` and then the preimage lie end to end in the blob `bundle`."""
    outputs: list[Json] = [
        {"path": name, "sha256": digest.sha256, "size": digest.size, "exec": False}
        for name, digest in step.parts.items()
    ]
    return {
        "exit": 0,
        "outputs": outputs,
        "bundle": list(bundle),
        "stdout": None,
        "stderr": None,
        "preimage": list(preimage),
        "meta": {"milliseconds": spent, "errors": step.errors, "warnings": step.warnings},
    }


def _from_entry(key: str, entry: dict[str, Json]) -> tuple[Step, Digest]:
    parts = {text(item, "path"): Digest(text(item, "sha256"), number(item, "size")) for item in rows(entry, "outputs")}
    meta = entry.get("meta")
    step = Step(key, parts, number(meta, "errors"), number(meta, "warnings"), "restored")
    return step, digest(entry, "bundle")
