"""Whoever ends a run ends all of it: no process, container, lock or folder of its is left."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.core.gated_project import RULE, write_rule
from tests.engine.core.tide_project import MODEL, LoomProject
from tests.kit.places import STORE
from tests.kit.waiting import LONGEST, until

ENDLESS = RULE.replace("time.sleep(3600)", 'print("{word}"); time.sleep(3600)')


PYTHON = re.compile(rb"[^\0]*\bpython3[\d.]*\0")


class Endless(NamedTuple):
    project: LoomProject
    word: str

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Comes back when all gates are at work. A shell's background jobs ignore the signal: this does not."""
        process = subprocess.Popen(
            [sys.executable, "main.py", *words, "gate:python", "gate:node"], cwd=self.project.root,
            env=self.project.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        wanted = 2 if "-n" in words else 1
        # What a shim puts in its place has a whole path, and perhaps a longer name.
        until(lambda: len([line for line in self.lines() if PYTHON.match(line)]) >= wanted)
        return process

    def lines(self) -> list[bytes]:
        """Command lines of everything that belongs to this test's gates."""
        found = []
        for place in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = place.read_bytes()
            except OSError:
                continue
            found += [line] if self.word.encode() in line else []
        return found


@pytest.fixture
def endless(tmp_path: Path) -> Endless:
    project = LoomProject(tmp_path / "harbour", LOOM_STORE=str(STORE))
    word = secrets.token_hex(8)
    for backend in ("python", "node"):
        write_rule(project, backend, ENDLESS.format(backend=backend, word=word))
    for name in ("quay", "berth"):
        project.write(name, f"{MODEL[name]}{word} slow\n")
    project.doit("emit")
    return Endless(project, word)


@pytest.mark.parametrize("sandbox", ["bubblewrap", "docker", "none"])
@pytest.mark.parametrize("words", [(), ("-n", "2")], ids=["alone", "two"])
def test_interrupted_run_leaves_nothing(endless: Endless, sandbox: str, words: tuple[str, ...]) -> None:
    endless.project.environment["LOOM_SANDBOX"] = sandbox
    process = endless.start(*words)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=LONGEST)[0]
    assert process.returncode == 130 and "interrupted\n" in text and "Traceback" not in text, text
    assert_nothing_left(endless, process.pid)


def test_interrupted_action_is_given_to_nobody(endless: Endless, tmp_path: Path) -> None:
    cache = tmp_path / "shared"
    cache.mkdir()
    endless.project.environment |= {"LOOM_REMOTE_CACHE": f"file://{cache}", "LOOM_REMOTE_UPLOAD": "always"}
    process = endless.start()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONGEST)
    assert process.returncode == 130 and not [path for path in cache.rglob("*") if path.is_file()]


def test_terminated_run_leaves_nothing(endless: Endless) -> None:
    process = endless.start("-n", "2")
    process.terminate()
    assert process.wait(timeout=LONGEST) == 130
    assert_nothing_left(endless, process.pid)


def assert_nothing_left(endless: Endless, process: int) -> None:
    until(lambda: not endless.lines())
    assert [path for path in (STORE / "work").iterdir() if f"-{process}-" in path.name] == []
    assert [path for path in (STORE / "tmp").iterdir() if str(process) in path.name] == []
    label = ("docker", "ps", "-aq", "--filter", "label=loom.owner", "--format", '{{.Label "loom.owner"}}')
    containers = subprocess.run(label, capture_output=True, text=True, check=True).stdout.split("\n")
    assert [owner for owner in containers if owner.split()[:1] == [str(process)]] == []
    held = Path("/proc/locks").read_text().split()
    assert str(process) not in held


def test_runs_go_on_afterwards(endless: Endless) -> None:
    process = endless.start()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONGEST)
    for name in ("quay", "berth"):
        endless.project.write(name, f"{MODEL[name]}{endless.word}\n")
    done = endless.project.doit("gate:python", "gate:node").marks
    assert {done["gate:python:quay_api"], done["gate:node:berth_api"]} == {"ran"}


def test_signals_are_as_before_when_a_run_is_over(tmp_path: Path) -> None:
    from loom.build.bridge.interrupt import interruptible

    before = signal.getsignal(signal.SIGTERM)
    stopped: list[bool] = []
    with pytest.raises(KeyboardInterrupt), interruptible(lambda: stopped.append(True)):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
    assert stopped == [True] and signal.getsignal(signal.SIGTERM) is before
