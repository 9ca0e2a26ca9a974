"""The graph of tasks, asked: what needs what, who reads a file, what a change can reach."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.engine.pipeline.apiary_project import ApiaryProject

PARSED = [f"parse:model/{name}.ddd" for name in ("main", "hive_keeping", "honey_harvest", "quality")]
STAGES = [*PARSED, "lower", "validate", "plan"]
SERVICES = ["emit:hive_service", "emit:harvest_service"]
PROOFS = ["gate:node:harvest_service", "gate:python:hive_service", "e2e:hive_service", "e2e:harvest_service"]


@pytest.fixture
def project(tmp_path: Path) -> ApiaryProject:
    project = ApiaryProject(tmp_path / "apiary", tmp_path / "store")
    (project.root / ".gitignore").write_text("out/\n.loom/\n")
    git(project, "init", "-q")
    commit(project)
    return project


def git(project: ApiaryProject, *words: str) -> None:
    identity = ("-c", "user.name=Keeper", "-c", "user.email=keeper@localhost")
    subprocess.run(["git", *identity, *words], cwd=project.root, check=True)


def commit(project: ApiaryProject) -> None:
    git(project, "add", ".")
    git(project, "commit", "-q", "--allow-empty", "-m", "now")


def query(project: ApiaryProject, *words: str, code: int = 0) -> list[str]:
    return project.loom("query", *words, code=code).text.splitlines()


def test_what_a_task_needs_and_what_needs_it(project: ApiaryProject) -> None:
    assert query(project, "deps", "emit:hive_service") == STAGES
    assert query(project, "deps", "gate:python") == [*STAGES, SERVICES[0], "deps:python", "gate:python:hive_service"]
    assert query(project, "rdeps", "emit:hive_service") == ["generate", "gate:python:hive_service", "e2e:hive_service"]
    assert query(project, "deps", PARSED[0]) == [] and query(project, "rdeps", "generate") == []


def test_one_way_between_two_tasks(project: ApiaryProject) -> None:
    way = ["e2e:hive_service", "gate:python:hive_service", "emit:hive_service", "plan"]
    assert query(project, "path", "e2e:hive_service", "plan") == way
    told = query(project, "path", "plan", "generate", code=1)
    assert told == ["ERROR: plan does not need generate (the other way round there is one)"]
    assert query(project, "path", "migrate", "generate", code=1) == ["ERROR: migrate does not need generate"]


def test_who_reads_a_file(project: ApiaryProject) -> None:
    assert query(project, "owners", "model/hive_keeping.ddd") == ["parse:model/hive_keeping.ddd"]
    rules = project.root / "rules/gate"
    rules.mkdir(parents=True)
    (rules / "python.yaml").write_text((project.loom_folder / "rules/gate/python.yaml").read_text())
    assert query(project, "owners", "rules/gate/python.yaml") == ["gate:python:hive_service"]
    history = project.root / "migrations/apiary/hive_keeping"
    history.mkdir(parents=True)
    assert query(project, "owners", str(history)) == ["validate"]
    assert query(project, "owners", str(project.loom_folder / "loom/parse/ddd.lark"))[:4] == PARSED
    assert query(project, "owners", "nothing.ddd", code=3) == ["ERROR: there is no file nothing.ddd"]


def test_file_is_named_from_where_the_command_was_typed(project: ApiaryProject) -> None:
    below = ApiaryProject(project.root / "model", project.root)
    below.environment = {**project.environment, "PWD": str(below.root)}
    assert query(below, "owners", "quality.ddd") == ["parse:model/quality.ddd"]


def test_what_a_change_can_reach(project: ApiaryProject) -> None:
    assert query(project, "affected", "--since", "HEAD") == []
    rules = project.root / "rules/gate"
    rules.mkdir(parents=True)
    (rules / "python.yaml").write_text((project.loom_folder / "rules/gate/python.yaml").read_text() + "# mine\n")
    assert query(project, "affected", "--since", "HEAD") == ["gate:python:hive_service", "e2e:hive_service"]
    commit(project)
    project.change("hive_keeping", "siteName: string\n", "siteName: string\n            order: int = 4\n")
    reached = query(project, "affected", "--since=HEAD")
    assert reached[:2] == ["parse:model/hive_keeping.ddd", "lower"]
    ours = {"emit:hive_service", "gate:python:hive_service", "e2e:hive_service"}
    assert {*reached} & {*SERVICES, *PROOFS} == ours
    assert "parse:model/quality.ddd" not in reached and "deps:python" not in reached
    commit(project)
    assert query(project, "affected", "--since", "HEAD~1") == reached
    (project.root / "migrations/apiary/hive_keeping").mkdir(parents=True)
    (project.root / "migrations/apiary/hive_keeping/why.txt").write_text("nothing yet\n")
    assert query(project, "affected", "--since", "HEAD")[0] == "validate"


def test_everything_that_can_change_is_named(project: ApiaryProject) -> None:
    """Whatever does run after a change was in the answer."""
    project.doit()
    project.change("quality", "enum", "enum HTTPGrade { fine, poor }\nenum")
    reached = {*query(project, "affected", "--since", "HEAD")}
    assert project.doit().marked("ran") <= reached


def test_change_of_one_kind_reaches_no_further(project: ApiaryProject) -> None:
    """A comment is in no key but that of its file; a step of a test is in no service."""
    project.write("quality", f"{project.read('quality')}// HTTPGrade is for later\n")
    assert query(project, "affected", "--since", "HEAD") == ["parse:model/quality.ddd", "generate", "migrate"]
    commit(project)
    project.change("main", "seen.frames.toBe(12)", "seen.frames.toBe(13)")
    reached = {*query(project, "affected", "--since", "HEAD")}
    assert "e2e:hive_service" in reached and not reached & {*SERVICES, *PROOFS[:2]}


def test_model_with_mistakes_reaches_all_that_reads_the_file(project: ApiaryProject) -> None:
    project.change("hive_keeping", "siteName: string\n", "siteName: strin\n")
    assert {*SERVICES, *PROOFS} <= {*query(project, "affected", "--since", "HEAD")}


def test_wrong_questions_are_answered(project: ApiaryProject) -> None:
    assert query(project, "deps", "emit:hive_servise", code=3)[-1].startswith(
        "ERROR: there is no task `emit:hive_servise`, did you mean `emit:hive_service`?"
    )
    for words in (["dps", "lower"], ["deps"], ["affected"], ["affected", "--since=--output=x"], ["path", "plan"]):
        assert query(project, *words, code=3)[1].startswith("usage: loom query deps TASK ..."), words
    assert query(project, "affected", "--since", "nothing", code=3) == ["ERROR: there is no commit `nothing`"]
    assert query(project, code=3)[0].startswith("usage: loom query deps|rdeps TASK")
    project.environment = {**project.environment, "PATH": str(project.root)}
    without_git = query(project, "affected", "--since", "HEAD", code=2)
    assert without_git == ["ERROR: `affected` needs git: apt-get install git"]
