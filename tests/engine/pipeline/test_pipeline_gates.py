"""Gates and end-to-end tests of a real project: nothing twice, nothing of others, and failures in the tools' own words.

The machine's own store serves here: it holds the toolchains and what was fetched for the services.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.pipeline.apiary_project import CHECKOUT, EVERY, ApiaryProject
from tests.kit.places import STORE

ALL = ("generate", "gate:python", "gate:node", "e2e")
PROVEN = {
    "deps:python", "deps:node", "gate:python:hive_service", "gate:node:harvest_service",
    "e2e:hive_service", "e2e:harvest_service",
}  # fmt: skip
# What a wrong template of a backend prints, and what the compiler has to say of it.
PYTHON = ("gate:python:hive_service", "python/templates/app/application.py.j2",
          '\n\nSEEDED_FRAME_COUNT: int = "ten"\n')  # fmt: skip
PYTHON_WORDS = (
    '{file}:{line}: error: Incompatible types in assignment (expression has type "str", variable has type "int")'
)
NODE = ("gate:node:harvest_service", "node/templates/src/domain/ids.ts.j2",
        "\nexport const seededFrameCount: number = 'ten';\n")  # fmt: skip
NODE_WORDS = "{file}({line},14): error TS2322: Type 'string' is not assignable to type 'number'."


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> ApiaryProject:
    """The one gate run that the tests of this module share."""
    project = ApiaryProject(tmp_path_factory.mktemp("proven") / "apiary", STORE)
    assert project.doit(*ALL).marks.keys() == EVERY | PROVEN
    return project


def test_second_run_does_nothing(proven: ApiaryProject) -> None:
    assert proven.doit(*ALL).marks == dict.fromkeys(EVERY | PROVEN, "kept")
    assert proven.doit("-n", "2", *ALL).marks == dict.fromkeys(EVERY | PROVEN, "kept")
    assert proven.doit("gate:*").marked("kept") >= {"gate:python:hive_service", "gate:node:harvest_service"}
    assert proven.doit("list", "-s", "gate:node:harvest_service").text.startswith("U ")


@pytest.mark.parametrize("lost", ["out", ".loom/doit.sqlite", ".loom"])
def test_what_is_lost_is_restored_and_nothing_is_compiled(proven: ApiaryProject, lost: str) -> None:
    before = proven.output()
    place = proven.root / lost
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    done = proven.doit(*ALL)
    assert done.marks.keys() == EVERY | PROVEN
    assert not done.marked("ran") and not done.marked("failed")
    assert proven.output() == before


@pytest.fixture
def changed(proven: ApiaryProject) -> Iterator[ApiaryProject]:
    """A field more in one of the two contexts, taken back afterwards."""
    text = proven.read("hive_keeping")
    proven.change("hive_keeping", "queenDNA: string?", "queenDNA: string?\n            order: int = 4")
    yield proven
    proven.write("hive_keeping", text)
    proven.doit(*ALL)


def test_change_in_one_context_leaves_the_other_deployable_alone(changed: ApiaryProject) -> None:
    done = changed.doit(*ALL)
    theirs = {"emit:harvest_service", "gate:node:harvest_service", "e2e:harvest_service", "deps:node"}
    assert {name: done.marks[name] for name in theirs} == dict.fromkeys(theirs, "kept")
    assert done.marks["gate:python:hive_service"] in ("ran", "restored")
    explained = changed.doit("explain", "gate:python:hive_service").text
    assert "when it last changed:" in explained and "openapi.json" in explained


def test_changing_back_runs_nothing(proven: ApiaryProject) -> None:
    text = proven.read("hive_keeping")
    proven.change("hive_keeping", "queenDNA: string?", "queenDNA: string?\n            order: int = 5")
    proven.doit("generate")
    proven.write("hive_keeping", text)
    done = proven.doit(*ALL)
    assert done.marks.keys() == EVERY | PROVEN
    assert not done.marked("ran") and not done.marked("failed")


def test_comment_compiles_nothing(proven: ApiaryProject) -> None:
    text = proven.read("hive_keeping")
    proven.write("hive_keeping", f"// Another remark.\n{text}")
    done = proven.doit(*ALL)
    proven.write("hive_keeping", text)
    assert done.marked("ran") <= {"parse:model/hive_keeping.ddd"}
    assert done.marked("kept") >= PROVEN


def seeded(folder: Path, template: str, mistake: str) -> ApiaryProject:
    """The project, built by a Loom of which one backend has a mistake."""
    for name in ("loom", "rules", "toolchains"):
        shutil.copytree(CHECKOUT / name, folder / "seeded" / name, ignore=shutil.ignore_patterns("__pycache__"))
    place = folder / "seeded/loom/backends" / template
    place.write_text(place.read_text().rstrip("\n") + mistake)
    return ApiaryProject(folder / "apiary", STORE, loom=folder / "seeded")


def found(folder: Path, line: str) -> tuple[str, int]:
    """The first emitted file that has that line, and its number."""
    for place in sorted(folder.rglob("*")):
        lines = place.read_text().splitlines() if place.suffix in (".py", ".ts") else []
        if line in lines:
            return place.relative_to(folder).as_posix(), lines.index(line) + 1
    raise AssertionError(f"no emitted file has the line {line}")


@pytest.mark.parametrize(("seed", "words"), [(PYTHON, PYTHON_WORDS), (NODE, NODE_WORDS)], ids=["python", "node"])
def test_type_error_fails_with_the_compilers_words_and_is_never_cached(
    tmp_path: Path, seed: tuple[str, str, str], words: str
) -> None:
    task, template, mistake = seed
    project = seeded(tmp_path, template, mistake)
    project.doit("generate")
    file, line = found(project.out / task.split(":")[2], mistake.strip())
    for _ in range(2):
        done = project.doit(task, code=1)
        assert done.marks[task] == "failed" and "step `types`: exit code 1" in done.text
        assert words.format(file=file, line=line) in done.text, done.text
        assert project.doit("list", "-s", task).text.startswith("R ")


def test_failing_gate_runs_again_each_time(proven: ApiaryProject) -> None:
    """A gate of the project's own that tells the time before it fails tells another time in each run."""
    place = proven.root / "rules/gate/python.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(OWN_GATE)
    assert proven.doit("list", "-s", "gate:python:hive_service").text.startswith("R ")
    told = []
    for _ in range(2):
        done = proven.doit("gate:python:hive_service", "e2e:hive_service", code=1)
        assert done.marks["gate:python:hive_service"] == "failed" and "app/gate_notes.txt:7: no hive" in done.text
        assert "e2e:hive_service" not in done.marks
        told.append(re.findall(r"it is (\d+)", done.text))
    shutil.rmtree(proven.root / "rules")
    assert len(told[0]) == 1 and told[0] != told[1]
    assert not proven.doit(*ALL).marked("ran")


def test_proof_whose_gate_has_not_run_is_traced_through_it(changed: ApiaryProject) -> None:
    """Its key is not known yet, but what changed above the gate is, whether or not that was made already."""
    for words in ("parse:model/main.ddd", "generate"):
        changed.doit(words)
        told = changed.loom("why", "e2e:hive_service").text
        assert told.startswith(
            "e2e:hive_service would run:\n  e2e:hive_service changed\n    because its input `project`"
        )
        cause = "\nroot cause: model/hive_keeping.ddd\n  line 11: `Keeping.HiveKeeping.BeeHive.order`\n"
        assert told.endswith(cause) and "not kept any more" not in told, told


def test_failing_end_to_end_test_names_the_line_of_the_model(proven: ApiaryProject) -> None:
    """A second run says it again; comments above move the line, and nothing else."""
    text = proven.read("main")
    for above in ("", "// one more line\n"):
        proven.write("main", above + text.replace("frames.toBe(12)", "frames.toBe(13)"))
        line = 1 + proven.read("main").splitlines().index("        expect seen.frames.toBe(13)")
        done = proven.doit("e2e:hive_service", code=1)
        assert done.marks["e2e:hive_service"] == "failed" and "Traceback" not in done.text
        told = "error[loom.scenario-failed]: `frames are added to a hive` does not hold: 12 should be 13"
        excerpt = f"   |\n{line} |         expect seen.frames.toBe(13)\n   |         ^^^^^^\nhelp: "
        assert f"{told}\n --> model/main.ddd:{line}:9\n{excerpt}" in done.text, done.text
    proven.write("main", text)
    assert not proven.doit(*ALL).marked("ran") - {"parse:model/main.ddd"}


OWN_GATE = """\
rule: gate/python
toolchain: python
inputs: {project: emit, deps: deps/python}
steps:
  - name: complain
    argv:
      - python3
      - -c
      - "import sys, time; print('it is', time.time_ns()); sys.exit('app/gate_notes.txt:7: no hive')"
outputs: {artefact: /out/project}
timeout: 60
"""
