"""A small compiler for tests of the engine: tide tables instead of models.

A file says `import NAME`, `context NAME`, then lines of words; `deploy SLUG on BACKEND hosts CONTEXT` in the
entry file. The word `odd` is a warning, `bad` an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from loom.base import Diagnostic, NodePath, Severity, Value
from loom.base.files import Laid, laid
from loom.base.pipeline import Deployed, Input, Per, Products, SystemEntry

Checked = tuple[Diagnostic, ...]


class ToyOdd(Diagnostic):
    """A word that looks odd.

    Say another.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[str] = "odd word"


class ToyBad(Diagnostic):
    """A word that is wrong.

    Say another.
    """

    message: ClassVar[str] = "bad word"


class ToyIndex(Value):
    imports: tuple[str, ...]
    contexts: tuple[str, ...]
    deployed: tuple[tuple[str, str, str], ...]


class ToyWords(Value):
    words: tuple[str, ...]


class ToyLines(Value):
    lines: tuple[int, ...]


class ToyFile(Value):
    path: str
    text: str
    executable: bool = False


class ToyParsed(NamedTuple):
    imports: ToyIndex
    words: ToyWords
    lines: ToyLines


def parse(path: str, data: bytes) -> tuple[ToyParsed, Checked]:
    rows = [(number, line.split()) for number, line in enumerate(data.decode().splitlines(), 1)]
    rows = [(number, row) for number, row in rows if row and not row[0].startswith("#")]
    told = [row for _, row in rows]
    index = ToyIndex(
        imports=tuple(row[1] for row in told if row[0] == "import"),
        contexts=tuple(row[1] for row in told if row[0] == "context"),
        deployed=tuple((row[1], row[3], row[5]) for row in told if row[0] == "deploy"),
    )
    words = [(number, word) for number, row in rows if row[0] not in ("import", "context", "deploy") for word in row]
    bad = tuple(ToyBad(at=NodePath(f"{path}#x/{index}")) for index, (_, word) in enumerate(words) if word == "bad")
    spelt = ToyWords(words=tuple(word for _, word in words))
    return ToyParsed(index, spelt, ToyLines(lines=tuple(number for number, _ in words))), bad


def lower(path: str, words: ToyWords) -> tuple[ToyWords, Checked]:
    odd = tuple(ToyOdd(at=NodePath(f"{path}#x/{n}")) for n, word in enumerate(words.words) if word == "odd")
    return ToyWords(words=tuple(sorted(set(words.words)))), odd


def plan(slug: str, words: ToyWords) -> tuple[ToyWords, Checked]:
    return ToyWords(words=(slug, *words.words)), ()


def emit(plan: ToyWords) -> tuple[Laid, Checked]:
    main = ToyFile(path="main.txt", text="\n".join(plan.words) + "\n")
    return laid((main, ToyFile(path="bin/run", text="#!/bin/sh\n", executable=True))), ()


def render(plans: tuple[ToyWords, ...]) -> tuple[Laid, Checked]:
    names = "\n".join(plan.words[0] for plan in plans)
    return laid((ToyFile(path="docker-compose.yml", text=names + "\n"),)), ()


class ToyStage(NamedTuple):
    name: str
    run: Callable[..., tuple[object, Checked]]
    per: Per
    reads: Callable[[Products, str], tuple[Input, ...]]


def _index(products: Products, file: str) -> ToyIndex:
    index = products.value(products.part("parse", file, "imports"))
    assert isinstance(index, ToyIndex)
    return index


def _file_of(products: Products, context: str) -> str:
    return next(file for file in products.units("file") if context in _index(products, file).contexts)


def _hosted(products: Products, slug: str) -> str:
    rows = [row for file in products.units("file") for row in _index(products, file).deployed]
    return next(context for name, _, context in rows if name == slug)


def _read_file(products: Products, file: str) -> tuple[Input, ...]:
    return file, products.source(file) or b""


def _read_words(products: Products, context: str) -> tuple[Input, ...]:
    file = _file_of(products, context)
    return file, products.part("parse", file, "words")


def _read_hosted(products: Products, slug: str) -> tuple[Input, ...]:
    return slug, products.part("lower", _hosted(products, slug))


def _read_plan(products: Products, slug: str) -> tuple[Input, ...]:
    return (products.part("plan", slug),)


def _read_plans(products: Products, system: str) -> tuple[Input, ...]:
    return (tuple(products.part("plan", slug) for slug in products.units("deployable")),)


STAGES: Sequence[ToyStage] = (
    ToyStage("parse", parse, "file", _read_file),
    ToyStage("lower", lower, "context", _read_words),
    ToyStage("plan", plan, "deployable", _read_hosted),
    ToyStage("emit", emit, "deployable", _read_plan),
    ToyStage("render", render, "system", _read_plans),
)


def files(products: Products, systems: tuple[SystemEntry, ...]) -> tuple[str, ...]:
    waiting = [system.entry for system in systems]
    found: list[str] = []
    while waiting:
        file = waiting.pop(0)
        if file not in found and products.source(file) is not None:
            found.append(file)
            waiting += _index(products, file).imports
    return tuple(found)


def contexts(products: Products) -> tuple[str, ...]:
    return tuple(context for file in products.units("file") for context in _index(products, file).contexts)


def deployables(products: Products) -> tuple[Deployed, ...]:
    system = products.units("system")[0]
    rows = [row for file in products.units("file") for row in _index(products, file).deployed]
    return tuple(Deployed(slug, backend, system) for slug, backend, _ in rows)


def checks(products: Products) -> Iterator[tuple[str, str]]:
    yield from (("parse", file) for file in products.units("file"))
    yield from (("lower", context) for context in products.units("context"))


def believed(products: Products, stage: str, unit: str, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    return found


def report(products: Products, diagnostics: tuple[Diagnostic, ...]) -> str:
    lines = []
    for item in diagnostics:
        file, _, number = item.at.partition("#x/")
        spans = products.value(products.part("parse", file, "lines"))
        assert isinstance(spans, ToyLines)
        lines.append(f"{file}:{spans.lines[int(number)]}: {item.severity}: {item.text()}\n")
    return "".join(sorted(set(lines)))


def changed(
    file: str, before: Mapping[str, object], after: Mapping[str, object], data: bytes | None
) -> tuple[str, ...]:
    old, new = (set(found.words) for part in (before, after) if isinstance(found := part["words"], ToyWords))
    return tuple(f"{'then' if data is None else 'now'}: {word}" for word in sorted(old ^ new))
