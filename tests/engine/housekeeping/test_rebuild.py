"""Everything made again in another world: what hangs on it is caught, named, kept side by side, never given away."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engine.core.gated_project import RULE, gated_project, write_rule
from tests.engine.core.tide_project import CHECKOUT, MODEL, LoomProject
from tests.engine.pipeline.apiary_project import ApiaryProject
from tests.kit.places import SERVICES, STORE

SEEDED = """
rule: gate/python
toolchain: python
inputs: {project: emit}
steps:
  - name: tell
    argv:
      - python3
      - -c
      - |
        import os, pathlib, sys, time
        found = {
            "clock": time.time() // 86400, "zone": time.timezone, "locale": os.environ["LC_ALL"],
            "seed": hash("HTTPServer"), "processors": len(os.sched_getaffinity(0)), "same": 7, "path": os.getcwd(),
        }
        pathlib.Path("/out/app").mkdir()
        for name, value in found.items():
            pathlib.Path("/out/app", name).write_text(f"{value}\\n")
outputs: {artefact: /out/app}
timeout: 60
limits: {memory: 256MiB, processes: 64}
"""


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return gated_project(tmp_path / "harbour", "node")


def test_sound_project_is_the_same_and_the_tasks_are_made_first(project: LoomProject) -> None:
    write_rule(project, "python", RULE.format(backend="python"))
    text = project.doit("verify", "--rebuild").text
    assert "gate:python:quay_api is made for the first time\n" in text
    for task in ("parse:model/main.tide", "lower", "emit:berth_api", "render:compose", "gate:python:quay_api"):
        assert f"== {task}\n" in text
    assert "11 tasks made again (another path, clock, time zone, locale and hash seed" in text
    assert text.endswith("they are the same\n") and not (project.root / ".loom/verify").exists()
    assert not list((project.root / ".loom").glob("rebuild-*"))


def test_every_difference_of_the_world_is_seen(project: LoomProject) -> None:
    """The engine of docker may be confined to a processor already, as this process may be."""
    write_rule(project, "python", SEEDED)
    project.environment["LOOM_SANDBOX"] = "bubblewrap"
    text = project.doit("verify", "--rebuild", "gate:python", code=4).text
    processors = "artefact/processors, " if len(os.sched_getaffinity(0)) > 1 else ""
    what = f"artefact/clock, artefact/locale, {processors}artefact/seed, artefact/zone"
    assert f"gate:python:quay_api is not the same: {what}\n" in text and "== lower" not in text
    folder = project.root / ".loom/verify/gate.python.quay_api"
    assert (folder / "first/artefact/locale").read_text() == "C.UTF-8\n"
    assert (folder / "again/artefact/locale").read_text() == "C\n"
    days = [int(float((folder / side / "artefact/clock").read_text())) for side in ("first", "again")]
    assert days[1] - days[0] in (400, 401)
    assert not (folder / "first/artefact/same").exists()
    assert not (folder / "first/artefact/path").exists(), "a sandbox shows the same paths wherever it is"
    assert "1 task made again" in text and text.rstrip().endswith("1 not the same")


def test_what_differed_is_not_given_to_others(project: LoomProject, tmp_path: Path) -> None:
    write_rule(project, "python", SEEDED)
    project.doit("verify", "--rebuild", "gate:python", code=4)
    (tmp_path / "share").mkdir()
    project.environment |= {"LOOM_REMOTE_CACHE": f"file://{tmp_path}/share", "LOOM_REMOTE_UPLOAD": "always"}
    project.doit("run", "-a", "gate:python")
    given = [path for path in (tmp_path / "share/ac").rglob("*") if path.is_file()]
    named = {path.name for path in (STORE / "unsound").iterdir()}
    assert given and not named & {path.name for path in given}


def test_action_that_fails_elsewhere_is_a_difference(project: LoomProject) -> None:
    write_rule(project, "python", SEEDED.replace("found = {", 'assert time.timezone == 0, "only in UTC"; found = {'))
    assert (
        "it failed the second time, see failure.txt" in project.doit("verify", "--rebuild", "gate:python", code=4).text
    )
    told = (project.root / ".loom/verify/gate.python.quay_api/failure.txt").read_text()
    assert "gate/python, step `tell`: exit code 1" in told and "only in UTC" in told


def test_action_that_hangs_on_its_path_is_caught_where_no_sandbox_hides_it(project: LoomProject) -> None:
    write_rule(project, "python", SEEDED)
    project.environment["LOOM_SANDBOX"] = "none"
    text = project.doit("verify", "--rebuild", "gate:python", code=4).text
    (line,) = [line for line in text.splitlines() if line.startswith("gate:python:quay_api is not the same: ")]
    assert "artefact/path" in line and "artefact/same" not in line
    folder = project.root / ".loom/verify/gate.python.quay_api"
    first, again = ((folder / side / "artefact/path").read_text() for side in ("first", "again"))
    assert first != again and first.rsplit("/", 1)[1] == again.rsplit("/", 1)[1]


def wrong_toy(folder: Path, right: str, wrong: str) -> LoomProject:
    """A project whose compiler has that mistake."""
    project = LoomProject(folder)
    toy = (CHECKOUT / "tests/engine/core/toy.py").read_text()
    assert right in toy
    (project.root / "tides.py").write_text(toy.replace(right, wrong))
    dodo = project.root / "dodo.py"
    dodo.write_text(dodo.read_text().replace("from tests.engine.core import toy", "import tides as toy"))
    return project


def test_stage_that_hangs_on_its_path_is_caught(tmp_path: Path) -> None:
    project = wrong_toy(
        tmp_path / "harbour", "sorted(set(words.words))", '(*words.words, __import__("os").path.abspath("."))'
    )
    text = project.doit("verify", "--rebuild", "lower", "parse", code=4).text
    for context in ("QuayHTTPLog", "Berth"):
        assert f"lower/{context} `value`" in text, text
    assert "== parse:model/quay.tide\n" in text
    folder = project.root / ".loom/verify/steps"
    first, again = ((folder / side / "lower.Berth.value").read_bytes() for side in ("first", "again"))
    assert str(project.root).encode() in first and first != again


def test_stage_that_hangs_on_the_hash_seed_is_caught(tmp_path: Path) -> None:
    project = wrong_toy(tmp_path / "harbour", "sorted(set(words.words))", "set(words.words)")
    project.write("quay", "context QuayHTTPLog\n" + " ".join(f"word{number}" for number in range(40)) + "\n")
    project.write("berth", "context Berth\ntide\n")  # one word has one order
    text = project.doit("verify", "--rebuild", "lower", "parse", code=4).text
    assert "lower is not the same: lower/QuayHTTPLog `value`\n" in text and "== parse:model/quay.tide\n" in text
    folder = project.root / ".loom/verify/steps"
    first, again = ((folder / side / "lower.QuayHTTPLog.value").read_bytes() for side in ("first", "again"))
    assert first != again and sorted(first) == sorted(again)


def test_wrong_words_are_told(project: LoomProject) -> None:
    write_rule(project, "python", RULE.format(backend="python"))
    assert "`verify` needs `--rebuild`" in project.doit("verify", "lower", code=3).text
    assert "did you mean `lower`?" in project.doit("verify", "--rebuild", "lowr", code=3).text
    project.write("quay", MODEL["quay"] + "typo\n")
    text = project.doit("verify", "--rebuild", "gate:python", code=1).text
    assert "ERROR: gate:python:quay_api failed\n" in text and "`typo` is no word" in text


def test_all_of_the_examples_are_the_same_again(tmp_path: Path) -> None:
    """Every rule that is shipped, twice and more."""
    project = ApiaryProject(tmp_path / "examples", STORE, template=CHECKOUT / "examples")
    text = project.loom("verify", "--rebuild").text
    for backend, services in SERVICES.items():
        assert f"== deps:{backend}\n" in text
        for service in services:
            assert f"== gate:{backend}:{service}\n" in text
            assert f"== e2e:{service}\n" in text
    assert text.endswith("they are the same\n")
