"""A project's gates on the workers of a real server, as a person asks for it."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.core.gated_project import RULE, gated_project, write_rule
from tests.engine.core.tide_project import MODEL, LoomProject, Ran, loom
from tests.engine.remote.casd import casd
from tests.engine.world.world_kit import the_root
from tests.kit.places import STORE
from tests.kit.ports import free_port
from tests.kit.waiting import LONGEST, until

GATES = {"gate:python:quay_api", "gate:node:berth_api"}
CHECKOUT = Path(__file__).parents[3]
OWN = "{project: emit, deps: deps/python}"
SEEDED = """
rule: gate/python
toolchain: python
inputs: {{project: emit}}
steps:
  - {{name: tell, argv: [python3, -c, "{code}"]}}
outputs: {{artefact: /out/app}}
timeout: 60
limits: {{memory: 256MiB, processes: 64}}
"""
# Whatever wants the local sandbox fails.
NO_SANDBOX = {"LOOM_SANDBOX": "docker", "DOCKER_HOST": "unix:///nowhere/class.sock"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    the_root()  # a machine without a sandbox could not make it
    with casd(tmp_path_factory.mktemp("engine") / "casd") as address:
        yield address


@pytest.fixture
def project(tmp_path: Path, address: str) -> LoomProject:
    return gated_project(tmp_path / "harbour", "python", "node", LOOM_REMOTE_EXECUTOR=address)


def gates(done: Ran) -> dict[str, str]:
    return {task: mark for task, mark in done.marks.items() if task in GATES}


def without_sandbox(project: LoomProject) -> LoomProject:
    project.environment |= NO_SANDBOX
    return project


def test_gate_runs_remotely_and_then_nothing_runs_here(project: LoomProject) -> None:
    without_sandbox(project)
    done = project.doit("run", "--remote-exec", "gate:python")
    assert ".  gate:python:quay_api (remote)\n" in done.text and "   read " in done.text
    assert "1 ran remotely" in done.text.splitlines()[-1] and "WARNING" not in done.text
    assert gates(project.doit("gate:python")) == {"gate:python:quay_api": "kept"}
    shutil.rmtree(project.root / ".loom")
    again = project.doit("gate:python")
    assert gates(again) == {"gate:python:quay_api": "restored"} and "(cached) read" in again.text


def test_what_ran_here_is_a_hit_for_who_asks_for_workers(project: LoomProject) -> None:
    assert gates(project.doit("gate:python")) == {"gate:python:quay_api": "ran"}
    shutil.rmtree(project.root / ".loom")
    assert gates(project.doit("run", "--remote-exec", "gate:python")) == {"gate:python:quay_api": "restored"}


def test_what_ran_here_is_made_again_on_a_worker_and_compared(project: LoomProject) -> None:
    project.doit("gate:python")
    for words in (["--remote-exec", "gate:python"], ["gate:python", "--remote-exec"]):
        text = project.doit("verify", "--rebuild", *words).text
        assert "== gate:python:quay_api (remote)\n" in text and text.endswith("they are the same\n")
    assert "== gate:python:quay_api\n" in project.doit("verify", "--rebuild", "gate:python").text


def test_what_a_worker_makes_otherwise_is_named(project: LoomProject) -> None:
    told = "pathlib.Path('/out/app/locale').write_text(os.environ['LC_ALL'])"
    write_rule(project, "python", SEEDED.format(code=f"import os, pathlib; pathlib.Path('/out/app').mkdir(); {told}"))
    text = project.doit("verify", "--rebuild", "--remote-exec", "gate:python", code=4).text
    assert "!! gate:python:quay_api: not the same\n" in text and "not the same: artefact/locale\n" in text


def test_log_trace_and_explanation_know_of_it(project: LoomProject) -> None:
    project.doit("gate:python")
    explained = project.doit("explain", "gate:python:quay_api").text
    done = project.doit("run", "-a", "-s", "gate:python:quay_api", "--remote-exec")
    assert list(done.marks) == ["gate:python:quay_api"]
    assert ".  gate:python:quay_api (remote)" in loom(project, "log", "last")
    assert "1 ran remotely" in loom(project, "log", "last")
    assert "gate:python:quay_api (remote)" in loom(project, "log", "what-ran")
    trace = max((project.root / ".loom/traces").iterdir())
    bars = json.loads(trace.read_text())["traceEvents"]
    assert {bar["cat"] for bar in bars if bar["name"] == "gate:python:quay_api"} == {"remote"}
    again = "`doit run -a -s gate:python:quay_api --remote-exec` ran it again, with that key\n"
    assert project.doit("explain", "gate:python:quay_api").text == explained + again
    assert "ran in A, remote in B, with the same key" in loom(project, "log", "diff", "2", "1")


class Shed:
    """What `loom init` writes, with a model that nobody built before, and the real compiler."""

    def __init__(self, root: Path, address: str) -> None:
        self.root = root
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(root.parent), "PYTHONPATH": str(CHECKOUT),
            "LOOM_STORE": str(STORE), "LOOM_REMOTE_EXECUTOR": address,
        }  # fmt: skip
        root.mkdir()
        self.loom("init")
        place = root / "model/main.ddd"
        text = place.read_text()
        shelf = f"s{secrets.token_hex(4)}: int = 4"
        place.write_text(text.replace("dailyFee: money", f"{shelf}\ndailyFee: money", 1))
        assert place.read_text() != text

    def loom(self, *argv: str, **environment: str) -> str:
        main = "import sys; from loom.cli import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", main, *argv], cwd=self.root, env={**self.environment, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    def gate(self) -> dict[str, object]:
        """The stored result, but for where and how long."""
        said = self.loom("info", "gate:python:shed_service").splitlines()
        word = next(line.split()[-1] for line in said if "key" in line)
        (place,) = (STORE / "ac").glob(f"{word[:12]}*.json")
        found = json.loads(place.read_text())
        return {name: value for name, value in found.items() if name not in ("origin", "meta", "stdout")}


def test_gate_of_a_service_runs_remotely_to_the_same_bytes_and_nothing_runs_here(tmp_path: Path, address: str) -> None:
    shed = Shed(tmp_path / "shed", address)
    shed.loom("run", "deps:python")
    said = shed.loom("gate", "python", "--remote-exec", **NO_SANDBOX)
    assert ".  gate:python:shed_service (remote)\n" in said and "files already formatted" in said
    assert "-- gate:python:shed_service\n" in shed.loom("gate", "python", **NO_SANDBOX)
    there = shed.gate()
    assert ".  gate:python:shed_service\n" in shed.loom("run", "-a", "-s", "gate:python:shed_service")
    assert shed.gate() == there


def test_option_may_stand_before_the_task_too(tmp_path: Path, address: str) -> None:
    shed = Shed(tmp_path / "shed", address)
    (shed.root / "rules/gate").mkdir(parents=True)
    # The end-to-end tests want the dependencies, whatever the gate does.
    own = RULE.format(backend="python").replace("main.txt", "pyproject.toml").replace("{project: emit}", OWN)
    (shed.root / "rules/gate/python.yaml").write_text(own)
    assert "gate:python:shed_service (remote)\n" in shed.loom("run", "--remote-exec", "gate:python")


def test_setting_asks_for_it_and_many_run_at_once(project: LoomProject) -> None:
    with (project.root / "loom.yaml").open("a") as file:
        file.write("remote: {execution: required, jobs: 2}\n")
    without_sandbox(project)
    done = project.doit("gate:python", "gate:node")
    assert "2 ran remotely" in done.text and gates(done) == dict.fromkeys(GATES, "ran")
    project.environment["LOOM_REMOTE_EXECUTION"] = "off"
    done = project.doit("run", "-a", "gate:python", code=2)
    assert "no Docker engine answers" in done.text


def test_failing_gate_fails_in_its_own_words_each_time(project: LoomProject) -> None:
    project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)} typo\n")
    for _ in range(2):
        done = project.doit("run", "--remote-exec", "gate:python", code=1)
        assert done.marks["gate:python:quay_api"] == "failed"
        assert "step `words`: exit code 1 (at grpc://" in done.text and "`typo` is no word" in done.text


def test_kept_failure_has_a_script_that_does_it_here(project: LoomProject) -> None:
    project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)} typo\n")
    done = project.doit("run", "--remote-exec", "--keep-failed", "gate:python", code=1)
    folder = Path(next(line for line in done.text.splitlines() if "kept in" in line).split()[2].rstrip(";"))
    again = subprocess.run([folder / "run.sh"], capture_output=True, text=True, check=False)
    shutil.rmtree(folder)
    assert again.returncode == 1 and "`typo` is no word" in again.stderr


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_nobody_there_is_one_warning_or_an_error(project: LoomProject, jobs: str) -> None:
    nobody = f"grpc://127.0.0.1:{free_port()}"
    project.environment |= {"LOOM_REMOTE_EXECUTOR": nobody, "LOOM_REMOTE_JOBS": jobs}
    project.environment["LOOM_REMOTE_EXECUTION"] = "required"
    done = project.doit("gate:python", code=1)
    assert f"the executor {nobody} cannot be reached, and it is required" in done.text
    project.environment["LOOM_REMOTE_EXECUTION"] = "auto"
    done = project.doit("gate:python", "gate:node")
    assert gates(done) == dict.fromkeys(GATES, "ran") and "(remote)" not in done.text
    assert done.text.count("WARNING") == 1 and "cannot be reached; going on in the local sandbox" in done.text


def test_question_without_an_executor_says_what_is_missing(project: LoomProject) -> None:
    del project.environment["LOOM_REMOTE_EXECUTOR"]
    done = project.doit("run", "--remote-exec", "gate:python", code=3)
    assert "`--remote-exec`: needs an executor" in done.text and "loom.yaml:" not in done.text


def test_no_sandbox_and_workers_exclude_each_other(project: LoomProject) -> None:
    project.environment["LOOM_SANDBOX"] = "none"
    done = project.doit("run", "--remote-exec", "gate:python", code=3)
    assert "runs actions in a sandbox, and `sandbox` is none" in done.text


def test_token_is_not_sent_where_others_could_read_it(project: LoomProject) -> None:
    project.environment |= {"LOOM_REMOTE_EXECUTOR": "grpc://host.example:1", "LOOM_REMOTE_TOKEN": "tide-token-41"}
    done = project.doit("run", "--remote-exec", "gate:python", code=3)
    assert "a token is sent over https:// and grpcs:// alone" in done.text and "tide-token" not in done.text


def test_grpc_is_loaded_only_when_actions_run_remotely(project: LoomProject) -> None:
    project.environment["PYTHONPROFILEIMPORTTIME"] = "1"
    assert "| grpc" not in project.doit("gate:python").text
    project.write("quay", f"{MODEL['quay']}{secrets.token_hex(8)}\n")
    assert "| grpc" in project.doit("run", "--remote-exec", "gate:python").text


def test_interrupted_run_ends_its_actions_on_the_worker(project: LoomProject) -> None:
    word = secrets.token_hex(8)
    slow = RULE.replace("time.sleep(3600)", f'print("{word}"); time.sleep(3600)')
    assert slow != RULE
    write_rule(project, "python", slow.format(backend="python"))
    project.write("quay", f"{MODEL['quay']}{word} slow\n")
    project.doit("emit")
    process = subprocess.Popen(
        [sys.executable, "main.py", "run", "--remote-exec", "gate:python"], cwd=project.root,
        env=project.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        _until(word, running=True)
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=LONGEST)[0]
    finally:
        process.kill()
    assert process.returncode == 130 and "interrupted\n" in text and "Traceback" not in text, text
    _until(word, running=False)
    assert [path for path in (STORE / "work").iterdir() if f"-{process.pid}-" in path.name] == []


def _until(word: str, *, running: bool) -> None:
    """The action's own process, on a worker of this machine."""
    until(lambda: any(line.startswith(b"python3\0") and word.encode() in line for line in _command_lines()) == running)


def _command_lines() -> Iterator[bytes]:
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield place.read_bytes()
        except OSError:
            continue
