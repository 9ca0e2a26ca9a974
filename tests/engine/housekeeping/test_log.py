"""What a run leaves in writing, and the line that it ends with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loom.build.housekeeping.ending import summary
from loom.build.housekeeping.run_files import KEPT
from tests.engine.core.tide_project import CHECKOUT, LoomProject, loom
from tests.engine.remote.two_machines import Machine
from tests.kit.waiting import LONGEST

# Says that it is at work where doit captures nothing.
SLOW = """
import os, time
def nap():
    os.write(1, b"napping\\n")
    time.sleep(3600)
def task_slow():
    return {"actions": [nap]}
"""


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return LoomProject(tmp_path / "harbour")


def lines(project: LoomProject) -> list[dict[str, object]]:
    newest = max((project.root / ".loom" / "runs").glob("*.jsonl"))
    return [json.loads(line) for line in newest.read_text().splitlines()]


def test_each_task_is_a_line_and_the_end_sums_them_up(project: LoomProject) -> None:
    done = project.doit()
    begin, *tasks, end = lines(project)
    assert begin["event"] == "begin" and begin["schema"] == "loom.run/1"
    assert {str(task["task"]): task["how"] for task in tasks} == done.marks
    assert (end["ran"], end["failed"], end["interrupted"]) == (9, 0, False)
    assert done.text.rstrip().splitlines()[-1].startswith("9 ran in ")


def test_last_runs_are_kept_and_those_in_which_something_was_done(project: LoomProject) -> None:
    folder = project.root / ".loom" / "runs"
    for text in ("neap", "spring"):
        project.write("quay", f"context QuayHTTPLog\n{text} tide\n")
        project.doit("parse")
    busy = {path.name for path in folder.iterdir()}
    for _ in range(KEPT + 2):
        project.doit("parse")
    kept = sorted(path.name for path in folder.iterdir())
    assert len(busy) == 2 and busy == set(kept[:2]) and len(kept) == 2 + KEPT
    for number in range(KEPT):
        project.write("quay", f"context QuayHTTPLog\n{'ebb ' * number}tide\n")
        project.doit("parse")
    assert len(list(folder.iterdir())) == KEPT


def test_last_run_is_told_in_words(project: LoomProject) -> None:
    assert "nothing was run here yet" in loom(project, "log", "last", code=1)
    project.doit()
    project.write("quay", "context QuayHTTPLog\nneap tide class ebb\n")
    project.doit("-n", "2", "generate")
    told = loom(project, "log", "last")
    assert told.startswith("doit -n 2 generate\n") and "-- parse:model/main.tide\n" in told
    assert ".  emit:quay_api" in told and "up to date in" in told.splitlines()[-1]
    assert "again: loom run -a -s emit:quay_api" in loom(project, "log", "what-ran")
    assert loom(project, "log", "what-failed") == "nothing failed\n"
    project.write("quay", "context QuayHTTPLog\nbad\n")
    project.doit(code=1)
    assert "!! parse:model/quay.tide failed" in loom(project, "log", "what-failed")


def test_the_command_of_a_run_is_told_as_it_was_typed(project: LoomProject) -> None:
    project.doit("emit:*")
    assert loom(project, "log", "last").startswith("doit 'emit:*'\n")
    program = project.root / "bin/loom"
    program.parent.mkdir()
    program.write_text((project.root / "main.py").read_text())
    path = {"PYTHONPATH": f"{project.root}:{CHECKOUT}"}
    words = [sys.executable, str(program), "plan", "lower"]
    subprocess.run(words, cwd=project.root, env={**project.environment, **path}, capture_output=True, check=True)
    assert loom(project, "log", "last").startswith("loom plan lower\n")
    told = [line.split(None, 4)[-1] for line in loom(project, "log", "runs").splitlines()]
    assert told == ["loom plan lower", "doit 'emit:*'"]
    assert loom(project, "log", "diff", "1", "2").splitlines()[0].endswith("  loom plan lower")


def test_shared_hits_are_told_apart_with_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    first, second = (Machine(tmp_path / name, f"file://{tmp_path}/share") for name in ("one", "two"))
    assert "KiB given" in first.doit().text
    text = second.doit().text
    assert "9 from the shared cache in" in text and "KiB fetched, 0 bytes given" in text
    assert "9 up to date in" in second.doit().text


def test_run_that_was_killed_is_readable(project: LoomProject) -> None:
    project.doit()
    newest = max((project.root / ".loom" / "runs").glob("*.jsonl"))
    newest.write_text("".join(newest.read_text().splitlines(keepends=True)[:3]) + '{"event": "ta')
    assert loom(project, "log", "last").endswith("this run did not come to its end\n")


def test_project_that_cannot_be_written_to_still_builds(project: LoomProject) -> None:
    project.doit()
    runs = project.root / ".loom" / "runs"
    for path in runs.iterdir():
        path.unlink()
    runs.rmdir()
    runs.write_text("in the way")
    assert set(project.doit().marks.values()) == {"kept"}


def test_interrupted_run_says_so_and_leaves_no_lock(project: LoomProject) -> None:
    slow = project.root / "slow.py"
    slow.write_text(SLOW)
    dodo = project.root / "dodo.py"
    dodo.write_text(dodo.read_text() + "from slow import task_slow\n")
    running = subprocess.Popen(
        [sys.executable, "-u", "-m", "doit", "generate", "slow"], cwd=project.root, env=project.environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )  # fmt: skip
    assert running.stdout is not None
    for line in running.stdout:
        if "napping" in line:
            break
    os.killpg(running.pid, signal.SIGINT)
    running.communicate(timeout=LONGEST)
    assert lines(project)[-1]["interrupted"] is True
    told = "this run was interrupted; what it had not done yet is not listed\n"
    assert loom(project, "log", "what-failed") == f"nothing failed\n{told}" and loom(project, "log", "last").endswith(
        told
    )
    assert set(project.doit().marks.values()) == {"kept"}


def test_task_of_a_dodo_file_that_fails_is_marked_counted_and_logged(project: LoomProject) -> None:
    done = project.doit("migrate", code=1)
    assert done.marks["migrate"] == "failed" and ", 1 failed in " in done.text
    assert "`migrate` needs a name: loom migrate record NAME" in done.text and "``" not in done.text
    assert "!! migrate failed\n" in loom(project, "log", "what-failed")


def test_second_run_waits_for_the_first_and_names_it(tmp_path: Path) -> None:
    hold = (
        "import sys; from loom.build.store.locks import held\n"
        "with held(sys.argv[1], 'key'):\n    print('held', flush=True); sys.stdin.read()\n"
    )
    wait = "import sys; from loom.build.store.locks import held\nwith held(sys.argv[1], 'key'):\n    print('mine')\n"
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=CHECKOUT, text=True,
    )  # fmt: skip
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    waiter = subprocess.Popen(
        [sys.executable, "-c", wait, str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=CHECKOUT, text=True,
    )  # fmt: skip
    assert waiter.stderr is not None
    assert f"waiting for process {holder.pid}" in waiter.stderr.readline()
    holder.communicate()
    assert waiter.communicate()[0] == "mine\n"


def test_summary_says_what_happened_and_nothing_else() -> None:
    counts = {"ran": 2, "restored": 3, "shared": 1, "kept": 0, "failed": 1, "error": 0, "skipped": 0}
    told = summary(counts, 1500, 125_000, (3 << 20, 0))
    assert told == (
        "2 ran, 3 restored, 1 from the shared cache, 1 failed in 1.5 s; 2.1 min saved; 3.0 MiB fetched, 0 bytes given\n"
    )
