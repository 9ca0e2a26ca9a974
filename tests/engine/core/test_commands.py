"""doit's commands as Loom replaces them, and `explain`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.core.own_loom import TOY, own_loom
from tests.engine.core.tide_project import CHECKOUT, MODEL, LoomProject


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return LoomProject(tmp_path / "harbour")


def test_group_is_up_to_date_when_all_of_it_is(project: LoomProject) -> None:
    groups = ("list", "-s", "parse", "emit", "render", "lower", "generate")
    assert {line[0] for line in project.doit(*groups).text.splitlines()} == {"R"}
    project.doit()
    assert {line[0] for line in project.doit(*groups).text.splitlines()} == {"U"}


def test_unknown_task_is_no_traceback(project: LoomProject) -> None:
    assert "nope" in project.doit("info", "nope", code=3).text
    assert "nope" in project.doit("explain", "nope", code=3).text
    assert "nope" in project.doit("nope", code=3).text


def test_group_is_asked_about_as_all_that_is_in_it(project: LoomProject) -> None:
    both = ("emit:quay_api", "emit:berth_api")
    fresh = "was not run here before: nothing changed, everything is new\n"
    for command in ("explain", "why"):
        assert project.doit(command, "emit").text == "".join(f"{task} {fresh}" for task in both)
    assert project.doit("explain", "emit", "emit:quay_api").text.count("quay_api") == 1
    assert "`migrate` is a command, which has no key" in project.doit("why", "migrate", code=3).text


def test_info_of_a_group_is_that_of_all_that_is_in_it(project: LoomProject) -> None:
    before = project.doit("info", "emit", code=1).text
    assert "status     : run\n - emit:quay_api\n   * what it needs has to be made first\n" in before
    project.doit()
    after = project.doit("info", "emit").text
    assert "status     : up-to-date\n" in after and "has no dependencies" not in after
    project.doit("forget", "emit:berth_api")
    assert "run\n - emit:berth_api\n   * it was not run here before\n" in project.doit("info", "emit", code=1).text


def test_info_tells_the_reason_in_plain_words_and_the_key_that_explain_takes(project: LoomProject) -> None:
    project.doit()
    told = project.doit("info", "emit:quay_api").text
    key = re.search("^key        : ([0-9a-f]{64})$", told, re.MULTILINE)
    assert key is not None and "has that key" in project.doit("explain", "emit:quay_api", "--against", key[1]).text
    project.doit("forget", "lower")
    told = project.doit("info", "lower", code=1).text
    assert "status     : run\n * it was not run here before\n" in told and "kwargs" not in told
    assert "key  " not in project.doit("info", "emit").text


def test_pattern_that_matches_nothing_is_a_wrong_name(project: LoomProject) -> None:
    for words in (["zzz*"], ["generate", "zzz*"], ["run", "zzz*"], ["clean", "zzz*"]):
        told = "ERROR: no task matches `zzz*`; `main.py list --all` shows the tasks\n"
        assert project.doit(*words, code=3).text == told
    assert {"emit:quay_api", "emit:berth_api"} <= set(project.doit("emit:*").marks)
    project.doit("clean", "gen*")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["genrate"], "there is no task `genrate` and no such command, did you mean `generate`?;"),
        (["explan", "emit"], "did you mean `explain`?;"),
        (
            ["emit:quay_HTTP_api"],
            "did you mean `emit:quay_api`?; in `emit` there are `emit:quay_api`, `emit:berth_api`",
        ),
        (["emit:rust"], "there is no task `emit:rust`; in `emit` there are"),
        (
            ["generate", "--overwite"],
            "`generate`: option --overwite not recognized, did you mean `--overwrite`?; "
            "there are `--overwrite`, `--locked`, `--allow-destructive`",
        ),
        (["generate", "lower", "--class"], "`lower`: option --class not recognized; it takes no options"),
        (["list", "--statuses"], "did you mean `--status`?; `main.py help list` shows what there is"),
        (["run", "-n", "class", "lower"], "invalid literal"),
    ],
)
def test_a_wrong_word_is_one_line_with_what_would_be_right(project: LoomProject, words: list[str], told: str) -> None:
    text = project.doit(*words, code=3).text
    assert told in text
    assert len(text.splitlines()) == 1 and "CmdOption" not in text


@pytest.mark.parametrize("words", ["list", "info generate"])
def test_a_reader_that_closes_early_is_no_traceback(project: LoomProject, words: str) -> None:
    project.doit("list")
    command = f"{shlex.quote(sys.executable)} main.py {words} 2>errors | true; cat errors"
    done = subprocess.run(
        ["sh", "-c", command], cwd=project.root, env=project.environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""


def test_always_execute_does_the_work_again(project: LoomProject) -> None:
    project.doit()
    assert set(project.doit("run", "-a").marks.values()) == {"ran"}
    assert set(project.doit().marks.values()) == {"kept"}


def test_forgotten_result_runs_again(project: LoomProject) -> None:
    project.doit()
    project.doit("forget", "--cache", "emit")
    assert project.ran() == {"emit:quay_api", "emit:berth_api"}


def test_explain_names_what_changed(project: LoomProject) -> None:
    assert "was not run here before" in project.doit("explain", "lower").text
    project.doit()
    assert "has not changed" in project.doit("explain", "lower").text
    project.write("quay", MODEL["quay"] + "ebb\n")
    told = project.doit("explain", "lower").text
    assert "would run" in told and "QuayHTTPLog: input parse/model/quay.tide.words: " in told and "Berth" not in told
    assert "has not changed" in project.doit("explain", "emit:berth_api").text
    project.doit()
    told = project.doit("explain", "lower").text
    assert "when it last changed" in told and "parse/model/quay.tide.words" in told


EARLY = """
from pathlib import Path
from loom.build.bridge.dodo import open_workspace
from dodo import toy
print(len(open_workspace(Path.cwd(), toy).outline.files), flush=True)
input()
"""


def test_a_process_that_began_earlier_forgets_no_run(project: LoomProject) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", EARLY], cwd=project.root, env=project.environment | {"PYTHONPATH": f"{CHECKOUT}:."},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as early:  # fmt: skip
        assert early.stdout and early.stdout.readline() == "3\n"
        project.doit()
        early.communicate("\n")
    project.write("quay", MODEL["quay"] + "flood tide\n")
    project.doit()
    assert "when it last changed" in project.doit("explain", "emit:quay_api").text


def test_explain_names_the_source_file_of_a_changed_stage(project: LoomProject) -> None:
    """The compiler itself is edited: in a copy, which the project uses from then on."""
    toy = own_loom(project) / TOY
    project.doit()
    toy.write_text(toy.read_text().replace('" ".join', '"  ".join') + "\n# changed\n")
    told = project.doit("explain", "lower").text
    assert "code.files.loom/tides.py: " in told and "code.files.loom/base" not in told
    done = project.doit().marks
    assert done["lower"] == "ran" and done["generate"] in ("ran", "restored")
