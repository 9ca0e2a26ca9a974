"""doit's commands as its users know them, with wrong words told by Loom; exit codes; completion."""

from __future__ import annotations

import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from loom.build.bridge.words import OWN, USAGE
from tests.engine.core.gated_project import RULE, write_rule
from tests.engine.core.tide_project import MODEL, LoomProject
from tests.kit.places import STORE


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return LoomProject(tmp_path / "harbour", LOOM_STORE=str(STORE))


@pytest.mark.parametrize("command", ["clean", "ignore", "forget", "list", "info", "reset-dep", "tabcompletion"])
def test_wrong_option_is_one_line(project: LoomProject, command: str) -> None:
    text = project.doit(command, "--nope", code=3).text
    said = f"`{command}`: option --nope not recognized; `main.py help {command}` shows what there is"
    assert text == f"ERROR: {said}\n"


@pytest.mark.parametrize("command", ["clean", "ignore", "forget", "list", "info", "reset-dep"])
def test_wrong_task_is_one_line_with_the_nearest(project: LoomProject, command: str) -> None:
    text = project.doit(command, "genrate", code=3).text
    assert text == "ERROR: there is no task `genrate`, did you mean `generate`?; `main.py list` shows the tasks\n"


def test_verify_says_what_it_needs(project: LoomProject) -> None:
    told = "ERROR: `verify` needs `--rebuild`: loom verify --rebuild [TASK ...]\n"
    assert project.doit("verify", "emit:quay_api", code=3).text == told


def test_help_knows_commands_and_tasks_only(project: LoomProject) -> None:
    assert "overwrite" in project.doit("help", "generate").text
    assert "dry-run" in project.doit("help", "clean").text
    assert "and no such command, did you mean `clean`?;" in project.doit("help", "claen", code=3).text


def test_ignored_task_and_what_needs_it_do_not_run(project: LoomProject) -> None:
    assert project.doit("ignore", code=3).text == "ERROR: `ignore` needs the name of a task\n"
    project.doit("ignore", "emit:quay_api")
    done = project.doit()
    assert "!! emit:quay_api ignored, or it needs what is ignored\n" in done.text
    assert "!! generate ignored, or it needs what is ignored\n" in done.text and "2 ignored in " in done.text
    assert {"plan", "emit:berth_api"} <= {task for task, mark in done.marks.items() if mark != "failed"}
    assert "I emit:quay_api" in project.doit("list", "-s", "--all").text
    project.doit("forget", "emit:quay_api")
    assert "ignored" not in project.doit().text


def test_exit_codes_say_who_is_to_act(project: LoomProject) -> None:
    write_rule(project, "python", RULE.format(backend="python"))
    project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)}\n")
    project.doit("gate:python", code=0)
    project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)} typo\n")
    project.doit("gate:python", code=1)
    project.environment |= {"LOOM_SANDBOX": "docker", "DOCKER_HOST": "tcp://127.0.0.1:9"}
    assert "no Docker engine answers" in project.doit("gate:python", code=2).text
    project.doit("gate:pyhton", code=3)


def complete(project: LoomProject, script: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    bash = f"""
    _get_comp_words_by_ref() {{ cur="${{COMP_WORDS[COMP_CWORD]}}"; prev="${{COMP_WORDS[COMP_CWORD-1]}}"
        words=("${{COMP_WORDS[@]}}"); cword=$COMP_CWORD; }}
    __ltrim_colon_completions() {{ :; }}
    _filedir() {{ :; }}
    source {script}
    COMP_WORDS=({" ".join(f"'{word}'" for word in ("loom", *words))}); COMP_CWORD={len(words)}
    _loom; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    path = f"{script.parent}:{project.environment['PATH']}"
    done = subprocess.run(
        ["bash", "-c", bash], cwd=project.root, env={**project.environment, "PATH": path},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


@pytest.fixture
def script(project: LoomProject, tmp_path: Path) -> Path:
    """As `loom tabcompletion` prints it; the tasks come from the toy project."""
    project.doit("list")
    loom = tmp_path / "bin/loom"
    loom.parent.mkdir()
    loom.write_text(f'#!/bin/sh\nexec {sys.executable} -c \'import sys; sys.argv[0] = "loom"; import main\' "$@"\n')
    loom.chmod(0o755)
    made = tmp_path / "bin/completion"
    done = subprocess.run(
        [loom, "tabcompletion"], cwd=project.root, env=project.environment, capture_output=True, text=True, check=True
    )
    made.write_text(done.stdout)
    return made


def test_bash_completes_commands_tasks_and_second_words(project: LoomProject, script: Path) -> None:
    assert complete(project, script, "ca") == ["cache"]
    assert complete(project, script, "ge") == ["generate"]
    assert set(complete(project, script, "e")) >= {"explain", "explain-code", "emit"}
    assert complete(project, script, "log", "what-") == ["what-failed", "what-ran"]
    assert set(complete(project, script, "why", "emit:")) == {"emit:quay_api", "emit:berth_api"}


def test_bash_completes_what_is_in_a_group_of_a_group(project: LoomProject, script: Path) -> None:
    write_rule(project, "python", RULE.format(backend="python"))
    project.doit("list")
    assert complete(project, script, "gate:python:") == ["gate:python:quay_api"]


def test_zsh_gets_descriptions_that_it_can_read(project: LoomProject, script: Path) -> None:
    done = subprocess.run(
        [script.with_name("loom"), "tabcompletion", "--shell", "zsh"], cwd=project.root, env=project.environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    commands = done.stdout.partition("commands=(\n")[2].partition(")\n")[0].splitlines()
    assert "        'cache: what the store holds, tidied or checked'" in commands
    assert all(line.count("'") == 2 for line in commands if line.strip())


def test_every_word_of_the_usage_is_completed() -> None:
    from loom.build.bridge.commands import LoomMain

    told = {line.split()[1] for line in USAGE.splitlines() if line.startswith("loom ")}
    known = {*OWN, *(command.get_name() for command in LoomMain.DOIT_CMDS)}
    assert told - known == {"generate", "gate", "e2e", "validate"}, "tasks; the others need a line in words.py"
