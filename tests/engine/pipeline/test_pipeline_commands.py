"""doit's commands on a real project, as somebody who knows doit expects them, and Loom's own."""

from __future__ import annotations

import pytest

from tests.engine.pipeline.apiary_project import EVERY, ApiaryProject

GATES = ("gate:node:harvest_service", "gate:python:hive_service")
H_FILES = ("hive_keeping", "honey_harvest")
ADDED = "siteName: string\n            order: int = 4\n"


def statuses(project: ApiaryProject) -> dict[str, str]:
    """R or U for every task."""
    lines = project.doit("list", "-s", "--all").text.splitlines()
    return {line.split()[1]: line[0] for line in lines if line[:2] in ("R ", "U ", "E ", "I ")}


def test_list_shows_every_task_with_a_word_about_it(project: ApiaryProject) -> None:
    top = project.doit("list").text
    for name in ("lower", "validate", "plan", "emit", "render", "generate", "gate", "deps", "e2e", "migrate", "parse"):
        lines = [line for line in top.splitlines() if line.split()[0] == name]
        assert len(lines) == 1 and len(lines[0].split()) > 2, name
    every = project.doit("list", "--all").text
    for name in (*EVERY, *GATES, "gate:python", "gate:node", "deps:python", "deps:node", "e2e:hive_service"):
        assert any(line.split()[0] == name for line in every.splitlines()), name


def test_list_status_says_what_would_run_and_runs_nothing(project: ApiaryProject) -> None:
    project.doit()
    assert {name for name, status in statuses(project).items() if name in EVERY and status == "U"} == EVERY
    project.change("hive_keeping", "siteName: string\n", ADDED)
    found = statuses(project)
    assert found["emit:hive_service"] == "R" and found["parse:model/hive_keeping.ddd"] == "R"
    assert found["parse:model/honey_harvest.ddd"] == "U" and found["emit"] == "R"
    assert found["gate:python:hive_service"] == "R"
    assert statuses(project) == found
    assert "emit:hive_service" in project.doit().marked("ran")


def test_info_says_what_a_task_is_and_why_it_would_run(project: ApiaryProject) -> None:
    project.doit()
    assert "up-to-date" in project.doit("info", "emit:hive_service").text
    project.change("hive_keeping", "siteName: string\n", ADDED)
    text = project.doit("info", "emit:hive_service", code=None).text
    assert "make the project of a deployable" in text and "run" in text
    wrong = project.doit("info", "emit:hive_servise", code=3)
    assert "emit:hive_servise" in wrong.text


def test_explain_names_what_changed_in_the_key(project: ApiaryProject) -> None:
    assert "its key has not changed here" in project.doit("explain", "emit:hive_service").text
    project.change("hive_keeping", "siteName: string\n", ADDED)
    text = project.doit("explain", "emit:hive_service").text
    assert text.startswith("emit:hive_service would run, because its key changed:\n")
    assert "input plan/hive_service" in text.replace(":", "/") and " -> " in text
    assert "harvest" not in text and "code" not in text
    parse = project.loom("explain", "parse:model/hive_keeping.ddd").text
    assert "model/hive_keeping.ddd" in parse and " -> " in parse
    project.doit()
    assert "is as it was; when it last changed:" in project.doit("explain", "emit:hive_service").text
    assert "its key has not changed here" in project.doit("explain", "emit:harvest_service").text


@pytest.mark.parametrize("words", [["explain"], ["explain", "emit:hive"], ["emit:hive"], ["run", "nothing"]])
def test_unknown_task_is_exit_code_three(project: ApiaryProject, words: list[str]) -> None:
    assert words[-1] in project.doit(*words, code=3).text


def test_forgotten_task_is_restored_and_with_cache_it_runs(project: ApiaryProject) -> None:
    project.doit()
    project.doit("forget", "emit:hive_service")
    done = project.doit()
    assert done.marks == {**dict.fromkeys(EVERY, "kept"), "emit:hive_service": "restored"}
    project.doit("forget", "--cache", "emit:hive_service")
    assert "emit:hive_service" in project.doit().marked("ran")
    assert project.doit().marks == dict.fromkeys(EVERY, "kept")


def test_forget_everything_restores_everything(project: ApiaryProject) -> None:
    project.doit("forget", "--all")
    assert project.doit().marks == dict.fromkeys(EVERY, "restored")


def test_always_runs_everything_again_to_the_same_bytes(project: ApiaryProject) -> None:
    before = project.output()
    assert project.doit("run", "-a", "generate").marks == dict.fromkeys(EVERY, "ran")
    assert project.output() == before


def test_one_task_runs_with_what_it_needs_and_no_more(project: ApiaryProject) -> None:
    project.change("hive_keeping", "siteName: string\n", ADDED)
    done = project.doit("emit:hive_service")
    assert done.marks.keys() == EVERY - {"emit:harvest_service", "render:compose", "generate"}
    assert "order" not in (project.out / "hive_service/openapi.json").read_text()


def test_wildcards_choose_tasks(project: ApiaryProject) -> None:
    done = project.doit("emit:*")
    assert done.marks.keys() == EVERY - {"render:compose", "generate"}
    assert project.doit("parse:model/h*").marks.keys() == {f"parse:model/{name}.ddd" for name in H_FILES}
    assert "no task matches `emit:nothing*`" in project.doit("emit:nothing*", code=3).text


def test_group_stands_for_its_members(project: ApiaryProject) -> None:
    assert {"emit:hive_service", "emit:harvest_service"} <= project.doit("emit").marks.keys()
    assert "parse:model/quality.ddd" in project.doit("parse").marks


def test_mistake_is_exit_code_one_with_either_command(project: ApiaryProject) -> None:
    project.change("hive_keeping", "frames: int", "frames: itn")
    before = project.output()
    for done in (project.doit(code=1), project.loom("validate", code=1), project.loom("generate", code=1)):
        assert done.marked("failed") and not done.marks.keys() & {"plan", "emit:hive_service", "generate"} - {
            name for name, mark in done.marks.items() if mark == "failed"
        }
        assert "error[loom.unknown-type]" in done.text
        assert " --> model/hive_keeping.ddd:9:21\n" in done.text
        assert f"9 | {' ' * 12}frames: itn = 10\n  | {' ' * 20}^^^\nhelp: did you mean `int`?\n" in done.text
    assert project.output() == before
    project.change("hive_keeping", "frames: itn", "frames: int")
    assert not project.doit().marked("ran")


def test_validate_of_a_sound_model_tells_its_warnings(project: ApiaryProject) -> None:
    done = project.loom("validate")
    assert done.code == 0 and done.text.count("warning[loom.workflow-param-unused]") == 1


def test_loom_and_doit_share_one_state(project: ApiaryProject) -> None:
    project.doit()
    assert project.loom("generate").marks == dict.fromkeys(EVERY, "kept")
    assert "emit:hive_service" in project.loom("list", "--all").text


def test_loom_works_from_below_the_project(project: ApiaryProject) -> None:
    below = ApiaryProject(project.root / "model", project.root)
    below.environment = project.environment
    assert below.loom("generate").marks.keys() == EVERY


def test_wrong_words_are_exit_code_three(project: ApiaryProject) -> None:
    assert "--overwite" in project.doit("generate", "--overwite", code=3).text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("systems:\n  apiary: {enter: model/main.ddd}\n", "unknown-setting"),
        ("systems: [\n", "loom.yaml:2:"),
        ("systems:\n  apiary: {entry: ../main.ddd}\n", "`systems.apiary.entry`"),
        ("systems: {}\n", "`systems`"),
        ("sandbox: maybe\nsystems:\n  apiary: {entry: model/main.ddd}\n", "`sandbox`"),
        ("systems:\n  apiary: {entry: a.ddd}\n  apiary: {entry: b.ddd}\n", " --> loom.yaml:3:3"),
        ("\x00", "loom.yaml:1:"),
    ],
)
def test_broken_loom_yaml_is_told_with_its_place_and_changes_nothing(
    project: ApiaryProject, text: str, said: str
) -> None:
    before = project.output()
    (project.root / "loom.yaml").write_text(text)
    for done in (project.doit(code=None), project.loom("validate", code=None)):
        assert done.code not in (0, None) and said in done.text, done.text
    assert project.output() == before


@pytest.mark.parametrize("command", ["doit", "loom"])
def test_missing_entry_file_is_named_and_the_output_stays(project: ApiaryProject, command: str) -> None:
    before = project.output()
    (project.root / "model/main.ddd").unlink()
    run = project.doit if command == "doit" else project.loom
    for words in ("generate", "list"):
        done = run(words, code=3)
        assert "`systems.apiary.entry`: there is no file `model/main.ddd`" in done.text
    assert project.output() == before
