"""What a person sees while tasks run: on a terminal, in a pipe, in CI; and what another program reads."""

from __future__ import annotations

import json
import os
import pty
import re
import secrets
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loom.build.bridge.progress import Progress, Sources
from tests.engine.core.gated_project import RULE, gated_project
from tests.engine.core.tide_project import MODEL, LoomProject, loom
from tests.kit.waiting import LONGEST

SLOW = RULE.replace("slow", "nap").replace("time.sleep(3600)", "time.sleep(2)")


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    """Its gate takes two seconds."""
    return gated_project(tmp_path / "harbour", "python", "node", rule=SLOW, words=" nap")


def on_terminal(project: LoomProject, *words: str, **environment: str) -> str:
    """Everything that a terminal is sent."""
    project.doit("list")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "main.py", *words], cwd=project.root, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**project.environment, "TERM": "xterm-256color", **environment}, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    sent = b""
    while True:
        select.select([ours], [], [], LONGEST)
        try:
            part = os.read(ours, 65536)
        except OSError:  # how Linux says that nobody writes any more
            break
        sent += part
    process.wait(timeout=LONGEST)
    os.close(ours)
    return sent.decode()


def left_on_screen(sent: str) -> list[str]:
    """What the terminal shows in the end: lines, `up` and `erase to the end` are all that is used."""
    rows, row = [""], 0
    for part in re.split(r"(\x1b\[\d*[A-Z]|\r\n|\r)", sent):
        if part == "\r\n":
            row += 1
            rows += [""] * (row == len(rows))
        elif found := re.fullmatch(r"\x1b\[(\d+)A", part):
            row -= int(found[1])
        elif part == "\x1b[J":
            rows[row:] = [""]
        elif part != "\r":
            rows[row] += part
    return rows


def test_terminal_shows_what_runs_and_keeps_only_lines(project: LoomProject) -> None:
    sent = on_terminal(project, "-n", "2", "gate:python", "gate:node")
    assert re.search(r"running gate:\w+:\w+ \d+ s, gate:\w+:\w+ \d+ s\r\n7 of 9 tasks, 4 ran, 3 restored", sent), sent
    left = left_on_screen(sent)
    assert {"=  parse:model/main.tide", ".  gate:node:berth_api"} <= {*left}
    assert not [line for line in left if "running" in line or " of 9 tasks" in line]
    assert left[-2].startswith("6 ran, 3 restored in ") and left[-1] == ""


def test_terminal_tells_what_is_given_while_it_goes_on(project: LoomProject, tmp_path: Path) -> None:
    """Stages before the gate give their results away; the gate takes its time."""
    (tmp_path / "share").mkdir()
    shared = {"LOOM_REMOTE_CACHE": f"file://{tmp_path}/share", "LOOM_REMOTE_UPLOAD": "always"}
    sent = on_terminal(project, "gate:python", **shared)
    assert re.search(r" of \d+ tasks, [^\r]*0 bytes fetched, [1-9][\d.]* \w+ given", sent), sent


def test_time_left_is_what_it_took_before(project: LoomProject) -> None:
    project.doit("gate:python", "gate:node")
    for name in ("quay", "berth"):
        project.write(name, f"{MODEL[name]}{secrets.token_hex(8)} nap\n")
    assert re.search(r"about [1-9][\d.]* \w+ left", on_terminal(project, "gate:python", "gate:node"))


def test_terminal_without_colours_has_none_and_no_area_with_ci(project: LoomProject) -> None:
    project.write("quay", "context QuayHTTPLog\nbad\n")
    for environment in ({"NO_COLOR": "1"}, {"CI": "true"}, {"TERM": "dumb"}):
        sent = on_terminal(project, "gate:python", **environment)
        assert not re.search(r"\x1b\[[\d;]*m", sent) or "CI" in environment, environment
        assert "\x1b[J" not in sent or "NO_COLOR" in environment, environment


def test_run_with_nothing_to_do_draws_nothing(project: LoomProject) -> None:
    project.doit("emit")
    assert "\x1b" not in on_terminal(project, "emit")


def test_pipe_has_a_sign_of_life(project: LoomProject) -> None:
    project.environment["LOOM_HEARTBEAT"] = "0.4"
    text = project.doit("gate:python").text
    assert re.search(r"^   still running: gate:python:quay_api \d+ s$", text, re.M) and "\x1b" not in text
    assert text.index("still running") < text.index(".  gate:python:quay_api")
    project.environment["LOOM_HEARTBEAT"] = "3600"
    project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)} nap\n")
    assert "still running" not in project.doit("gate:python").text


def test_logs_are_folded_where_they_can_be(project: LoomProject) -> None:
    project.environment["GITHUB_ACTIONS"] = "true"
    text = project.doit("gate:python").text
    assert "::group::gate:python:quay_api\n   read 6 words\n::endgroup::\n" in text
    assert "::group::" not in project.doit("emit").text


def test_machine_reads_json_while_actions_run_two_at_a_time(project: LoomProject) -> None:
    told = json.loads(project.doit("-n", "2", "-r", "json", "gate:python", "gate:node").text)
    results = {row["name"]: row["result"] for row in told["tasks"]}
    assert results["gate:python:quay_api"] == results["gate:node:berth_api"] == "success"
    assert ".  gate:python:quay_api" in loom(project, "log", "last")
    project.write("quay", f"{MODEL['quay']}typo\n")
    told = json.loads(project.doit("-n", "2", "-r", "json", "gate:python", code=1).text)
    assert {row["name"]: row["result"] for row in told["tasks"]}["gate:python:quay_api"] == "fail"
    assert "`typo` is no word" in loom(project, "log", "what-failed")


def test_estimate_counts_only_what_may_still_run() -> None:
    now = [100.0]
    expected = {"emit": 1000, "gate:HTTP_api": 60_000, "gate:class_api": 20_000, "lint": 9000}
    progress = Progress(lambda: now[0], 4, Sources(lambda: (0, 0), lambda: expected))
    progress.begin("emit")
    progress.end("emit", "ran")
    progress.begin("gate:HTTP_api")
    now[0] += 10
    assert progress.left() == 50_000 + 29_000
    progress.begin("gate:class_api")
    progress.end("lint", "kept")
    assert progress.left() == 50_000
    assert progress.area(200) == [
        "running gate:HTTP_api 10 s, gate:class_api 0 s",
        "2 of 4 tasks, 1 ran, 1 up to date, about 50.0 s left",
    ]
    assert progress.area(20)[1] == "2 of 4 tasks, 1 ran"


@pytest.mark.parametrize(
    ("down", "up", "told"),
    [
        (3 << 20, 0, ", 3.0 MiB fetched, 0 bytes given"),
        (0, 1 << 30, ", 0 bytes fetched, 1.0 GiB given"),
        (0, 0, ""),
    ],
)
def test_area_tells_what_came_and_went(down: int, up: int, told: str) -> None:
    progress = Progress(lambda: 100.0, 3, Sources(lambda: (down, up), dict))
    progress.end("emit:HTTP_api", "restored")
    progress.begin("gate:class_api")
    assert progress.area(200) == ["running gate:class_api 0 s", f"1 of 3 tasks, 1 restored{told}"]


def test_stream_is_whole_when_two_threads_write(tmp_path: Path) -> None:
    from loom.build.bridge.screen import Screen

    with (tmp_path / "said").open("w") as stream:
        progress = Progress(time.monotonic, 1, Sources(lambda: (0, 0), dict))
        screen = Screen(stream, progress, {"LOOM_HEARTBEAT": "0.001"})
        progress.begin("gate:HTTP_api")
        screen.go_on()
        for number in range(2000):
            screen.write(f".  task:{number}\n")
        screen.end()
    lines = (tmp_path / "said").read_text().splitlines()
    assert [line for line in lines if not line.startswith("   still")] == [
        f".  task:{number}" for number in range(2000)
    ]
