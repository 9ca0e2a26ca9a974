"""From a task back to what changed first: sources, rules, settings, and Loom itself."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import subprocess
from pathlib import Path

import pytest

from loom.build.commands.causes import FORGOTTEN
from loom.build.commands.preimages import compared
from loom.build.housekeeping.run_files import KEPT
from tests.engine.core.gated_project import RULE, gated_project
from tests.engine.core.tide_project import CHECKOUT, MODEL, LoomProject, loom
from tests.engine.pipeline.apiary_project import ApiaryProject


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    project = LoomProject(tmp_path / "harbour")
    project.doit()
    return project


def roots(text: str) -> list[str]:
    return [line.removeprefix("root cause: ") for line in text.splitlines() if line.startswith("root cause: ")]


def test_chain_leads_to_the_file_before_and_after_the_run(project: LoomProject) -> None:
    assert "has not changed here" in project.doit("why", "emit:quay_api").text
    project.write("quay", MODEL["quay"] + "ebb\n")
    before = project.doit("why", "emit:quay_api").text
    assert before.startswith("emit:quay_api would run:\n  emit/quay_api changed\n")
    assert [line.split(" gave ")[0].strip() for line in before.splitlines()[2:5]] == [
        "because plan/quay_api", "because lower/QuayHTTPLog", "because parse/model/quay.tide",
    ]  # fmt: skip
    assert roots(before) == ["model/quay.tide"] and "berth" not in before
    project.doit()
    after = project.doit("why", "emit:quay_api").text
    assert "is up to date; when it last changed" in after and roots(after) == ["model/quay.tide"]
    assert "has not changed here" in project.doit("why", "emit:berth_api").text


def test_change_further_back_than_the_last_one_of_a_file_is_found(project: LoomProject) -> None:
    """The comment made `parse` run again, but it was the word that made `emit` run."""
    project.write("quay", MODEL["quay"] + "ebb\n")
    project.doit()
    project.write("quay", "# about tides\n" + MODEL["quay"] + "ebb\n")
    project.doit()
    assert roots(project.doit("why", "emit:quay_api").text) == ["model/quay.tide"]


def test_change_that_is_kept_no_more_has_no_root_cause(tmp_path: Path) -> None:
    """Comments push the run of the change out; neither Loom's code nor the last comment is blamed for it."""
    project = ApiaryProject(tmp_path / "apiary", tmp_path / "store")
    project.doit("generate")
    project.change("hive_keeping", "siteName: string", "siteName: string\n        ownHTTPName: string?")
    project.doit("generate")
    assert roots(project.loom("why", "emit:hive_service").text) == ["model/hive_keeping.ddd"]
    text = project.read("hive_keeping")
    for number in range(KEPT):
        project.write("hive_keeping", f"{text}// {number}\n")
        project.doit("generate")
    told = project.loom("why", "emit:hive_service").text
    assert f"({FORGOTTEN})\n" in told and "Loom's own" not in told and not roots(told), told
    assert told.endswith(f"\nno root cause is known: {FORGOTTEN}\n")


def test_several_roots_are_told_the_oldest_first(project: LoomProject) -> None:
    for name in ("berth", "quay"):
        project.write(name, MODEL[name] + "ebb\n")
        subprocess.run(["touch", "-d", "2 hours ago" if name == "berth" else "1 hour ago", f"model/{name}.tide"],
                       cwd=project.root, check=True)  # fmt: skip
    text = project.doit("why", "generate").text
    assert roots(text) == ["model/berth.tide", "model/quay.tide"]


def test_task_that_never_ran_has_no_cause(tmp_path: Path) -> None:
    told = LoomProject(tmp_path / "harbour").doit("why", "lower").text
    assert told == "lower was not run here before: nothing changed, everything is new\n"


def test_wrong_words_are_told(project: LoomProject) -> None:
    assert "did you mean `emit:quay_api`?" in project.doit("why", "emit:quay_HTTP_api", code=3).text
    assert "needs the name of a task" in project.doit("why", code=3).text


def test_stage_of_loom_is_a_root_cause_too(project: LoomProject) -> None:
    copy = project.root.parent / "copy"
    for name in ("loom", "rules", "toolchains", "tests/engine"):
        shutil.copytree(CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    project.environment["PYTHONPATH"] = str(copy)
    (copy / "tests/engine/core/toy.py").rename(copy / "loom/tides.py")
    dodo = project.root / "dodo.py"
    dodo.write_text(dodo.read_text().replace("tests.engine.core import toy", "loom import tides as toy"))
    project.doit()
    (copy / "loom/tides.py").write_text((copy / "loom/tides.py").read_text() + "\n# changed\n")
    assert "Loom's own file loom/tides.py" in roots(project.doit("why", "emit:quay_api").text)
    (copy / "loom/base/__init__.py").write_text((copy / "loom/base/__init__.py").read_text() + "\n# changed\n")
    named = "Loom's own files loom/base/__init__.py, loom/tides.py"
    assert named in roots(project.doit("why", "emit:quay_api").text)


def test_explain_against_a_key_of_another_time(project: LoomProject) -> None:
    first = _keys(project)["emit:quay_api"]
    project.write("quay", MODEL["quay"] + "ebb\n")
    project.doit()
    project.write("quay", MODEL["quay"] + "flood\n")
    project.doit()
    told = project.doit("explain", "emit:quay_api", "--against", first[:10]).text
    assert told.startswith(f"emit:quay_api differs from {first[:10]}:\n") and "input plan/quay_api.value: " in told
    assert (
        "has that key" in project.doit("explain", "emit:quay_api", f"--against={_keys(project)['emit:quay_api']}").text
    )
    wrong = project.doit("explain", "emit:quay_api", "--against", "f" * 64, code=3).text
    assert f"there is no key {'f' * 64}: neither a run that is kept nor a stored result has it" in wrong


def _keys(project: LoomProject) -> dict[str, str]:
    newest = max((project.root / ".loom/runs").glob("*.jsonl"))
    found = [json.loads(line) for line in newest.read_text().splitlines()]
    return {str(line["task"]): str(line["key"]) for line in found if line["event"] == "task"}


def test_explain_against_the_key_of_a_stored_result(project: LoomProject) -> None:
    """A colleague's key, which is a step's and not that of a run made here."""
    before = {path.stem for path in (project.root / "store/ac").iterdir()}
    project.write("quay", MODEL["quay"] + "ebb\n")
    project.doit()
    new = {path.stem for path in (project.root / "store/ac").iterdir()} - before
    shutil.rmtree(project.root / ".loom/runs")
    project.write("quay", MODEL["quay"])
    project.doit()
    project.write("quay", MODEL["quay"] + "flood\n")
    project.doit()
    told = [project.doit("explain", "emit:quay_api", "--against", key, code=None).text for key in sorted(new)]
    assert any("input plan/quay_api.value: " in text for text in told)
    assert any("is no key of emit:quay_api: it is one of `parse`" in text for text in told)


def test_two_runs_are_compared(project: LoomProject) -> None:
    project.write("quay", MODEL["quay"] + "ebb\n")
    project.doit()
    project.doit("parse")
    listed = loom(project, "log", "runs").splitlines()
    assert [line.split("  ")[0] for line in listed] == ["1", "2", "3"] and listed[0].endswith("  doit parse")
    told = loom(project, "log", "diff", "3", "2")
    assert "emit:quay_api: ran in A, ran in B\n" in told and "input plan/quay_api.value: " in told
    assert "emit:berth_api: ran in A, kept in B, with the same key\n" in told
    assert "lower: only in A\n" in loom(project, "log", "diff", "2", "1")
    name = listed[2].split("  ")[1]
    assert "every task had the same key" in loom(project, "log", "diff", name, "3")
    assert "there is no run `9`: 3 are kept, see `loom log runs`" in loom(project, "log", "diff", "9", "1", code=3)


@pytest.fixture
def gated(tmp_path: Path) -> LoomProject:
    """With a gate that runs in the machine's real sandbox."""
    project = gated_project(tmp_path / "harbour", "python")
    project.doit("gate:python")
    return project


def test_gate_leads_to_the_model_or_to_its_rule(gated: LoomProject) -> None:
    gated.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)}\n")
    gated.doit("emit")
    text = gated.doit("why", "gate:python:quay_api").text
    assert "because its input `project`\n" in text and roots(text) == ["model/quay.tide"]
    gated.doit("gate:python")
    rule = gated.root / "rules/gate/python.yaml"
    rule.write_text(rule.read_text().replace('words")', 'words!")'))
    assert roots(gated.doit("why", "gate:python:quay_api").text) == ["rules/gate/python.yaml"]


def test_gate_that_would_run_names_the_files_that_differ(gated: LoomProject) -> None:
    gated.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)}\n")
    told = gated.doit("explain", "gate:python:quay_api").text.splitlines()
    assert told[0] == "gate:python:quay_api would run, because its key changed:"
    assert re.fullmatch(r"  inputs\.project main\.txt: [0-9a-f]{12} -> [0-9a-f]{12}", told[1]) and len(told) == 2, told
    gated.doit("gate:python")
    assert gated.doit("explain", "gate:python:quay_api").text.splitlines()[1:] == told[1:]


def test_tree_that_is_not_stored_is_not_taken_for_an_empty_one() -> None:
    listed = {"inputs.project main.txt": "1f", "inputs.project quay/HTTPLog.txt": "2e", "input plan/quay.value": "3d"}
    by_digest = {"inputs.project": "4c (90 bytes)", "input plan/quay.value": "3d"}
    rows = list(compared({"": by_digest}, {"": listed}))
    assert rows == ["  inputs.project: 4c (90 bytes) -> 2 files (the other tree is not stored)\n"]
    rows = list(compared({"": listed}, {"": by_digest}))
    assert rows == ["  inputs.project: 2 files (the other tree is not stored) -> 4c (90 bytes)\n"]
    assert len(list(compared({"": {"input plan/quay.value": "3d"}}, {"": listed}))) == 2


def test_setting_is_a_root_cause(gated: LoomProject) -> None:
    gated.environment["LOOM_SANDBOX"] = "none"
    assert roots(gated.doit("why", "gate:python:quay_api").text) == [
        "the setting `sandbox`, in loom.yaml or LOOM_SANDBOX"
    ]


def test_action_that_ran_can_be_done_by_hand(gated: LoomProject) -> None:
    """It is the one that ran, also when the model has gone on since."""
    assert "by hand: loom reproduce gate:python:quay_api" in loom(gated, "log", "what-ran")
    gated.write("quay", f"{MODEL['quay']}typo\n")
    told = gated.doit("reproduce", "gate:python:quay_api").text
    found = re.match(r"(\S+)/run\.sh does it again", told)
    assert found is not None, told
    again = subprocess.run([f"{found[1]}/run.sh"], capture_output=True, text=True, check=True)
    assert "read 5 words" in again.stdout
    assert (Path(found[1]) / "again/app/main.txt").read_text().startswith("QUAY_API\n")
    told = gated.doit("reproduce", "emit:quay_api", code=1).text
    assert "emit:quay_api runs in no sandbox: `loom run -a -s emit:quay_api` does it again" in told


def test_trail_that_ends_at_what_is_gone_goes_on_in_the_files(project: LoomProject) -> None:
    project.write("main", MODEL["main"].replace("import model/berth.tide\n", "").split("deploy berth_api")[0])
    told = project.doit("why", "render:compose").text
    assert "    (plan/berth_api is there no more)\n" in told
    assert roots(told) == ["model/main.tide"]


def test_what_was_never_made_is_named(tmp_path: Path) -> None:
    project = LoomProject(tmp_path / "harbour", LOOM_STORE=str(tmp_path / "store"))
    told = project.doit("reproduce", "gate:python:quay_api", code=1).text
    assert told == "ERROR: that is not known until deps:python has run\n"


def test_what_has_to_run_first_is_named_as_a_task(tmp_path: Path) -> None:
    project = ApiaryProject(tmp_path / "apiary", tmp_path / "store")
    for stage, source in (("gate", "emit"), ("e2e", "gate")):
        (project.root / "rules" / stage).mkdir(parents=True)
        rule = (
            RULE.format(backend="python").replace("gate/", f"{stage}/").replace("project: emit", f"project: {source}")
        )
        (project.root / "rules" / stage / "python.yaml").write_text(rule)
    told = project.loom("explain", "e2e:hive_service", "--against", "f" * 64, code=1).text
    assert told == "ERROR: that is not known until gate:python:hive_service has run\n"
    told = project.loom("run", "-a", "-s", "e2e:hive_service", code=1).text
    assert "e2e:hive_service needs gate:python:hive_service, which has to run first\n" in told


@pytest.mark.parametrize(("file", "old", "new"), [("hive_keeping", "siteName: string", "siteName: strin"),
                                                  ("quality", "enum", "} enum")])  # fmt: skip
def test_model_that_does_not_compile_is_told(tmp_path: Path, file: str, old: str, new: str) -> None:
    """The service of another context has the key that it had; it cannot be made all the same."""
    project = ApiaryProject(tmp_path / "apiary", tmp_path / "store")
    project.doit()
    mistaken = "the model does not compile, see `loom validate`"
    assert mistaken not in project.loom("explain", "emit:harvest_service").text
    project.change(file, old, new)
    for command in ("explain", "why"):
        told = project.loom(command, "emit:harvest_service").text.splitlines()
        assert told[0] == "emit:harvest_service is as it was; its key has not changed here"
        assert told[1:] == [f"{mistaken}; until it does, nothing that needs it runs"]
    assert mistaken not in project.loom("explain", f"parse:model/{file}.ddd").text
    for task in ("emit:harvest_service", "emit", "lower", "generate"):
        told = project.loom("info", task, code=1).text.splitlines()
        assert "status     : run" in told and (task != "emit:harvest_service" or f" * {mistaken}" in told), told
    listed = project.loom("list", "-s", "--all").text.splitlines()
    assert any(line.startswith("R emit:harvest_service ") for line in listed)
    assert any(line.startswith("U parse:model/honey_harvest.ddd ") for line in listed)
    project.change(file, new, old)
    assert "status     : up-to-date" in project.loom("info", "emit:harvest_service").text
