"""Pure steps with toy stages: keys, hits, cut-off, damage, cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec
import pytest

from loom.base import Diagnostic, Digest, NodePath, Severity, Value
from loom.base.pipeline import Hint, Part
from loom.build.steps.code import Code
from loom.build.steps.step import Findings, Step, StepRunner
from loom.build.store.codec import from_bytes, to_bytes
from loom.build.store.content import BlobLost, ContentStore
from loom.build.store.results import ResultStore
from loom.build.store.values import Values

ROOT = str(Path(__file__).parents[3])


class TideOutline(Value):
    names: tuple[str, ...]


class TideSpans(Value):
    lines: tuple[int, ...]


class TideFile(NamedTuple):
    outline: TideOutline
    spans: TideSpans


class TideDoubt(Diagnostic):
    """A tide that is spelt oddly.

    Spell it as others do.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[str] = "odd tide `{name}`"
    name: str


RUNS: list[str] = []


def read_tides(path: str, data: bytes) -> tuple[TideFile, tuple[Diagnostic, ...]]:
    RUNS.append(path)
    lines = data.decode().splitlines()
    told = [(number, line) for number, line in enumerate(lines) if line and not line.startswith("#")]
    doubts = tuple(TideDoubt(at=NodePath(path), name=line) for _, line in told if "odd" in line)
    outline = TideOutline(names=tuple(line for _, line in told))
    return TideFile(outline, TideSpans(lines=tuple(number for number, _ in told))), doubts


def count_tides(outlines: tuple[TideOutline, ...]) -> tuple[TideSpans, tuple[Diagnostic, ...]]:
    RUNS.append("count")
    return TideSpans(lines=tuple(len(outline.names) for outline in outlines)), ()


class Stage(NamedTuple):
    name: str
    run: Callable[..., tuple[object, tuple[Diagnostic, ...]]]


READ = Stage("read", read_tides)
COUNT = Stage("count", count_tides)


@pytest.fixture
def store(tmp_path: Path) -> ContentStore:
    RUNS.clear()
    return ContentStore(tmp_path)


def runner(store: ContentStore) -> StepRunner:
    """As a new process would have it: with nothing in memory."""
    return StepRunner(store, ResultStore(store.root), Code(ROOT))


def part(step: Step, name: str) -> Part:
    return Part(name, *step.parts[name])


def bundle_of(store: ContentStore, step: Step) -> Path:
    entry = json.loads(Path(ResultStore(store.root).path(step.key)).read_bytes())
    return Path(store.path(entry["bundle"][0]))


def test_damaged_part_is_lost_and_its_bundle_put_aside(store: ContentStore) -> None:
    step = runner(store).run(READ, ("harbour.tide", b"neap"))
    bundle = bundle_of(store, step)
    bundle.chmod(0o600)
    bundle.write_bytes(bundle.read_bytes().replace(b"neap", b"naep", 1))
    again = runner(store)
    assert again.run(READ, ("harbour.tide", b"neap")).how == "restored"
    with pytest.raises(BlobLost):
        again.values.load(*step.parts["outline"])
    assert not bundle.exists()
    assert runner(store).run(READ, ("harbour.tide", b"neap")).how == "ran"


@pytest.mark.parametrize("data", [b"", b"loom.value/1 [0]", b'loom.value/2 ["TideOutline",7]', b"loom.node/1 {}"])
def test_bytes_that_are_no_value_are_as_good_as_lost(store: ContentStore, data: bytes) -> None:
    values = Values(store)
    values.locate([Digest.of(data)], store.put(data).sha256)
    with pytest.raises(BlobLost, match="is not what a step gives"):
        values.load(*Digest.of(data))


def test_second_run_restores_values_and_diagnostics(store: ContentStore) -> None:
    first = runner(store).run(READ, ("harbour.tide", b"neap\nodd one\n"))
    again = runner(store)
    second = again.run(READ, ("harbour.tide", b"neap\nodd one\n"))
    assert RUNS == ["harbour.tide"]
    assert (first.how, second.how) == ("ran", "restored")
    assert second.parts == first.parts and second.warnings == 1 and second.errors == 0
    assert again.values.load(*second.parts["outline"]) == TideOutline(names=("neap", "odd one"))
    found = again.values.load(*second.parts["diagnostics"])
    assert isinstance(found, Findings) and found.diagnostics == (
        TideDoubt(at=NodePath("harbour.tide"), name="odd one"),
    )
    assert found == Findings.of([TideDoubt(at=NodePath("harbour.tide"), name="odd one")])


def test_comment_changes_one_part_only_so_that_readers_of_the_other_stay(store: ContentStore) -> None:
    steps = runner(store)
    before = steps.run(READ, ("harbour.tide", b"neap\n"))
    steps.run(COUNT, ((part(before, "outline"),),))
    after = steps.run(READ, ("harbour.tide", b"# a comment\nneap\n"))
    counted = steps.run(COUNT, ((part(after, "outline"),),))
    assert after.parts["outline"] == before.parts["outline"]
    assert after.parts["spans"] != before.parts["spans"]
    assert counted.how == "restored"
    assert RUNS == ["harbour.tide", "count", "harbour.tide"]


@pytest.mark.parametrize(
    "other",
    [
        (Stage("other", read_tides), ("harbour.tide", b"neap")),
        (READ, ("quay.tide", b"neap")),
        (READ, ("harbour.tide", b"neap ")),
        (READ, ("harbour.tide", "neap")),
        (READ, ("harbour.tideneap", b"")),
        (READ, (("harbour.tide",), b"neap")),
        (READ, ("harbour.tide", b"neap", TideSpans(lines=()))),
        (READ, (Part("p", "0" * 64, 4), b"neap")),
    ],
)
def test_any_other_input_has_another_key(store: ContentStore, other: tuple[Stage, tuple[str, ...]]) -> None:
    steps = runner(store)
    assert steps.key(*other)[0] != steps.key(READ, ("harbour.tide", b"neap"))[0]


def test_hint_is_handed_over_but_not_in_the_key(store: ContentStore) -> None:
    steps = runner(store)
    hint = Hint(Part("tables", "0" * 64, 4))
    assert steps.key(READ, ("harbour.tide", b"neap", hint)) == steps.key(READ, ("harbour.tide", b"neap"))


def test_preimage_is_stored_beside_the_result(store: ContentStore) -> None:
    steps = runner(store)
    step = steps.run(READ, ("harbour.tide", b"neap"))
    entry = ResultStore(store.root).read(step.key)
    assert entry is not None
    bundle = bundle_of(store, step).read_bytes()
    preimage = json.loads(bundle[-json.loads(json.dumps(entry))["preimage"][1] :])
    assert preimage["stage"] == "read"
    assert preimage["inputs"][0] == {"text": "harbour.tide"}
    assert steps.key(READ, ("harbour.tide", b"neap"))[0] == step.key


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null", b'{"schema":"loom.result/1"}'])
def test_garbled_entry_is_a_miss(store: ContentStore, damage: bytes) -> None:
    step = runner(store).run(READ, ("harbour.tide", b"neap"))
    place = Path(ResultStore(store.root).path(step.key))
    place.chmod(0o600)
    place.write_bytes(damage)
    again = runner(store).run(READ, ("harbour.tide", b"neap"))
    assert again.how == "ran" and again.parts == step.parts
    assert runner(store).run(READ, ("harbour.tide", b"neap")).how == "restored"


def test_result_under_a_foreign_key_is_a_miss(store: ContentStore) -> None:
    results = ResultStore(store.root)
    one = runner(store).run(READ, ("harbour.tide", b"neap"))
    two = runner(store).run(READ, ("harbour.tide", b"spring"))
    Path(results.path(two.key)).unlink()
    Path(results.path(one.key)).rename(results.path(two.key))
    assert runner(store).run(READ, ("harbour.tide", b"spring")).how == "ran"


def test_lost_blob_is_a_miss_and_the_entry_is_written_anew(store: ContentStore) -> None:
    step = runner(store).run(READ, ("harbour.tide", b"neap"))
    bundle_of(store, step).unlink()
    assert runner(store).run(READ, ("harbour.tide", b"neap")).how == "ran"
    assert runner(store).run(READ, ("harbour.tide", b"neap")).how == "restored"


def test_crash_leaves_no_result(store: ContentStore) -> None:
    with pytest.raises(UnicodeDecodeError):
        runner(store).run(READ, ("harbour.tide", b"\xff"))
    assert not (store.root / "ac").exists()


class Kind(StrEnum):
    NEAP = "neap"


class Leaf(msgspec.Struct, frozen=True):
    at: int
    kind: Kind
    text: str | None = None


class Branch(msgspec.Struct, frozen=True):
    leaves: tuple[Leaf | str | bool, ...]


def test_frozen_nodes_read_back_equal() -> None:
    tree = Branch((Leaf(1, Kind.NEAP), Leaf(2, Kind.NEAP, "ü"), "word", True))
    assert from_bytes(to_bytes(tree)) == tree
    assert to_bytes(tree) == to_bytes(Branch((*tree.leaves[:2], "wo" + "rd", True)))
    with pytest.raises(TypeError):
        to_bytes(Branch(({"a": 1},)))  # type: ignore[arg-type]
