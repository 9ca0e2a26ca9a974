"""What the engine must know of the compiler: its stages, what each reads, and what there is to build.

In: nothing. Out: protocols that `loom.compiler` keeps to, so that tests can bring stages of their own.
Never: the name or the order of a stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

from loom.base.diagnostics import Diagnostic
from loom.base.value import Value

Per = Literal["file", "context", "deployable", "system"]


class Part(NamedTuple):
    """One value of a step's output; `label` says which, for people."""

    label: str
    sha256: str
    size: int


class Hint(NamedTuple):
    """An input that can make a stage faster but never change its output, so it is not in the key."""

    part: Part


Input: TypeAlias = "Part | Hint | Value | str | bytes | tuple[Input, ...]"


class Products(Protocol):
    """What a stage may choose its inputs from; asking for a part makes it."""

    def __hash__(self) -> int: ...

    def part(self, stage: str, unit: str, name: str = "value") -> Part:
        """A part of what `stage` gave for `unit`; `name` is a field of its NamedTuple."""
        ...

    def value(self, part: Part) -> object:
        """The value of a part. Ask for small ones only: what is read here is read in every run."""
        ...

    def source(self, path: str) -> bytes | None:
        """The bytes of a file of the project, None when there is none of that name."""
        ...

    def names(self) -> tuple[str, ...]:
        """The model files that there are, imported or not. For the words of a mistake alone."""
        ...

    def given(self, name: str, unit: str = "") -> Input:
        """A value from outside the model: `history` of `<system>/<context>`, `deps` of a backend, `extern`."""
        ...

    def entry(self, system: str) -> str:
        """The first file of a system."""
        ...

    def units(self, per: Per) -> tuple[str, ...]:
        """Names of all files, contexts, deployables or systems."""
        ...

    def sound(self, stage: str, unit: str) -> bool:
        """Whether `stage` found no error in `unit`."""
        ...


class StageLike(Protocol):
    """One stage. `reads` chooses the arguments of `run` for a unit; both are pure."""

    @property
    def name(self) -> str: ...

    @property
    def run(self) -> Callable[..., tuple[object, tuple[Diagnostic, ...]]]: ...

    @property
    def per(self) -> Per: ...

    @property
    def reads(self) -> Callable[[Products, str], tuple[Input, ...]]: ...


class Deployed(NamedTuple):
    """A deployable as the engine sees it; `slug` is unique in the project."""

    slug: str
    backend: str
    system: str


class SystemEntry(NamedTuple):
    """A system of the project and its first file."""

    name: str
    entry: str


class Pipeline(Protocol):
    """The compiler, as the module `loom.compiler` is it. Its functions find out what there is to build."""

    @property
    def STAGES(self) -> Sequence[StageLike]: ...

    def files(self, products: Products, systems: tuple[SystemEntry, ...]) -> tuple[str, ...]: ...

    def contexts(self, products: Products) -> tuple[str, ...]: ...

    def deployables(self, products: Products) -> tuple[Deployed, ...]: ...

    def checks(self, products: Products) -> Iterable[tuple[str, str]]:
        """The (stage, unit) pairs that find mistakes in the model; none that would only repeat another's."""
        ...

    def believed(
        self, products: Products, stage: str, unit: str, found: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        """What a stage found in a unit, without what only comes of mistakes in the text."""
        ...

    def report(self, products: Products, diagnostics: tuple[Diagnostic, ...]) -> str:
        """Diagnostics as text, sorted and each once, with the lines that they are about."""
        ...

    def changed(
        self, file: str, before: Mapping[str, object], after: Mapping[str, object], data: bytes | None
    ) -> tuple[str, ...]:
        """What of a file of the model is other, a line each, by the parts of the step that read it before and after.

        `data` are the bytes that it read after, None where nobody has them any more: then nothing is said of lines."""
        ...
