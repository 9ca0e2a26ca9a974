"""Whatever a key is made of: when it changes, `why` names it and `explain` shows it, before anything is run again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.pipeline.apiary_project import CHECKOUT, ApiaryProject
from tests.kit.places import STORE

GATE, E2E, EMIT = "gate:python:hive_service", "e2e:hive_service", "emit:hive_service"
RULE = """
rule: {stage}/python
toolchain: python
inputs: {{{inputs}}}
steps:
  - {{name: keep, argv: [cp, -R, /in/{kept}, /out/app], cwd: /}}
outputs: {{artefact: /out/app}}
timeout: 600
limits: {{memory: 256MiB, processes: 64}}
"""
Do = Callable[["Built"], object]


class Case(NamedTuple):
    """`do` changes one thing; `roots` are what `why` ends with, `explained` is in what `explain` says."""

    name: str
    do: Do
    task: str
    roots: tuple[str, ...]
    explained: str


class Built(ApiaryProject):
    """Remembers what its files were, and those of the Loom that builds it."""

    def __init__(self, root: Path, loom: Path) -> None:
        super().__init__(root, STORE, loom=loom)
        self.originals: dict[Path, str] = {}

    def edit(self, file: str, old: str, new: str) -> None:
        place = next(place for place in (self.root / file, self.loom_folder / file) if place.exists())
        text = place.read_text()
        assert old in text
        self.originals.setdefault(place, text)
        place.write_text(text.replace(old, new, 1))

    def undo(self) -> None:
        for place, text in self.originals.items():
            place.write_text(text)
        self.originals.clear()


def change(file: str, old: str, new: str) -> Do:
    return lambda project: project.edit(file, old, new)


def append(file: str, more: str) -> Do:
    return change(file, "", more)


def rule(stage: str, inputs: str, kept: str) -> str:
    return RULE.format(stage=stage, inputs=inputs, kept=kept)


MAIN, HIVES = "model/main.ddd", "model/hive_keeping.ddd"
FIELD = change(HIVES, "siteName: string", "siteName: string\n        ownHTTPName: string?")
FIELD_ROOT = (HIVES, "  line 8: `Keeping.HiveKeeping.BeeHive.ownHTTPName`")
SCENARIO = change(MAIN, "count: 2", "count: 3")
SCENARIO_ROOT = (MAIN, "  lines 29-33: `Apiary.frames are added to a hive`")
SAME_CONTEXT = "found: bytes = dict(marshal.loads(contexts))[chunk]\n"
SPLIT = change("loom/parse/stage.py", SAME_CONTEXT, f"{SAME_CONTEXT}    found += b' '\n")
TEMPLATE, DRIVER = "loom/backends/python/templates/README.md.j2", "loom/e2e/driver/script.py"
RULES, LOCK, TREE = "rules/gate/python.yaml", "rules/deps/python/requirements.lock", "rules/deps/python/tree.lock"
SANDBOX = "the setting `sandbox`, in loom.yaml or LOOM_SANDBOX"
WAITS = f"has no key until {GATE} has run: see `loom explain {GATE}`"


def own(file: str) -> tuple[str, ...]:
    return (f"Loom's own file {file}",)


# fmt: off
CASES = (
    Case("a field, to the service", FIELD, EMIT, FIELD_ROOT, "input context/apiary/HiveKeeping.plan: "),
    Case("a field, to the gate", FIELD, GATE, FIELD_ROOT, "inputs.project app/domain/"),
    Case("a field, to a gate that waits", FIELD, E2E, FIELD_ROOT, WAITS),
    Case("a comment", append(HIVES, "// checked\n"), f"parse:{HIVES}", (HIVES,), "inputs[1]: "),
    Case("an end-to-end test", SCENARIO, E2E, SCENARIO_ROOT, "inputs.script script.json: "),
    Case("a rule", change(RULES, "600", "601"), GATE, (RULES,), "timeout: 600 -> 601"),
    Case("the sandbox", append("loom.yaml", "sandbox: none\n"), GATE, (SANDBOX,), "world.isolated: True -> False"),
    Case("an output folder", change("loom.yaml", "main.ddd}", "main.ddd, out: elsewhere}"), "generate",
         ("in loom.yaml, the systems or their `out`",), "though its parts are as they were"),
    Case("what services need", append(LOCK, "# newer\n"), "deps:python", (LOCK,), "inputs.lock requirements.lock: "),
    Case("what must be fetched", append(TREE, "\n"), "deps:python", (TREE,), "pinned: "),
    Case("a template of a backend", append(TEMPLATE, "\nmore\n"), GATE, own(TEMPLATE), "inputs.project README.md: "),
    Case("a stage of a task", append("loom/lower/stage.py", "# other\n"), "lower", own("loom/lower/stage.py"),
         "code.files.loom/lower/stage.py: "),
    Case("a stage of no task", SPLIT, "lower", own("loom/parse/stage.py"), "input split/apiary/HiveKeeping.value: "),
    Case("the driver of end-to-end tests", append(DRIVER, "# other\n"), E2E, own(DRIVER), f"inputs.driver {DRIVER}: "),
)
# fmt: on


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """By a Loom of its own, with a gate and an end-to-end test that run in the machine's real sandbox."""
    folder = tmp_path_factory.mktemp("every")
    for name in ("loom", "rules", "toolchains"):
        shutil.copytree(CHECKOUT / name, folder / "of" / name, ignore=shutil.ignore_patterns("__pycache__"))
    project = Built(folder / "apiary", folder / "of")
    proving = "project: gate, driver: e2e/driver, script: e2e/script"
    for stage, inputs, kept in (("gate", "project: emit", "project"), ("e2e", proving, "script")):
        (project.root / "rules" / stage).mkdir(parents=True)
        (project.root / "rules" / stage / "python.yaml").write_text(rule(stage, inputs, kept))
    project.doit("generate", GATE, E2E)
    return project


@pytest.fixture
def project(built: Built) -> Iterator[Built]:
    """Edits are undone, not what was run."""
    yield built
    built.undo()


@pytest.fixture
def done(project: Built) -> Iterator[Built]:
    """Whatever is lost of it is there again afterwards."""
    yield project
    project.undo()
    project.doit("generate", "--overwrite", GATE, E2E)


def roots(text: str) -> tuple[str, ...]:
    """The root causes and the parts of them."""
    _, _, told = text.partition("root cause: ")
    return tuple(told.replace("root cause: ", "").splitlines())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_changed_is_named(project: Built, case: Case) -> None:
    case.do(project)
    told = project.loom("why", case.task).text
    assert f"{case.task} would run" in told and roots(told) == case.roots, told
    assert case.explained in (explained := project.loom("explain", case.task).text), explained


def test_what_changed_is_named_when_it_has_run(done: Built) -> None:
    SCENARIO(done)
    done.doit(E2E)
    told = done.loom("why", E2E).text
    assert told.startswith(f"{E2E} is up to date; when it last changed:\n") and roots(told) == SCENARIO_ROOT, told
    change(MAIN, "", "// above the others\n")(done)
    assert roots(done.loom("why", E2E).text) == (MAIN, "  changed: `Apiary.frames are added to a hive`")


def test_what_did_not_change_is_not_blamed(project: Built) -> None:
    """The test of another service makes another system, but no other script of this one."""
    change(MAIN, "each: 500", "each: 250")(project)
    for task in (E2E, GATE):
        for command in ("explain", "why"):
            told = project.loom(command, task).text
            assert "would run" not in told and "has no key" not in told, told


class Again(NamedTuple):
    """Something that changes no key."""

    name: str
    do: Do
    task: str
    told: str


def edit_output(project: Built) -> None:
    place = project.out / "hive_service/README.md"
    place.write_text(place.read_text() + "mine\n")


FORGOTTEN = "would run, though its key has not changed here: doit has forgotten that it was done"
AGAIN = (
    Again("nothing", lambda project: None, EMIT, "is as it was; its key has not changed here\n"),
    Again("an edited output", edit_output, "generate", "hive_service/README.md was changed"),
    Again("a removed output", lambda project: shutil.rmtree(project.out), "generate", "is missing"),
    Again("a task that doit forgot", lambda project: project.doit("forget", EMIT), EMIT, FORGOTTEN),
    Again("doit's database", lambda project: (project.root / ".loom/doit.sqlite").unlink(), GATE, FORGOTTEN),
    Again("`-a`", lambda project: project.doit("run", "-a", "-s", GATE), GATE,
          f"`doit run -a -s {GATE}` ran it again, with that key\n"),
    Again("all that was known", lambda project: shutil.rmtree(project.root / ".loom"), EMIT, "was not run here before"),
)  # fmt: skip


@pytest.mark.parametrize("case", AGAIN, ids=[case.name for case in AGAIN])
def test_what_runs_with_the_same_key_is_told(done: Built, case: Again) -> None:
    case.do(done)
    for command in ("why", "explain"):
        told = done.loom(command, case.task).text
        assert told.startswith(f"{case.task} ") and case.told in told, told


def test_result_that_is_no_longer_stored_is_told(done: Built, tmp_path: Path) -> None:
    key = done.loom("info", GATE).text.rpartition("key        : ")[2].strip()
    shutil.move(STORE / "ac" / f"{key}.json", tmp_path)
    why = f"{GATE} would run, though its key has not changed here: its result is no longer in the store\n"
    assert [done.loom(command, GATE).text for command in ("why", "explain")] == [why, why]


def test_run_that_failed_is_told(done: Built) -> None:
    change(RULES, "cp, -R", "ls")(done)
    done.doit(GATE, code=1)
    assert roots(done.loom("why", GATE).text) == (RULES,)
    change(RULES, "ls,", "cp, -R,")(done)
    why = "would run, though its key has not changed here: it failed the last time, see `loom log what-failed`"
    assert done.loom("why", GATE).text == f"{GATE} {why}\n"
