"""Actions on the workers of a real server: the same result as here, whatever becomes of the server meanwhile."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.actions.action import Action, ActionInput, ActionLimits, ActionOutput, ActionStep
from loom.build.actions.cached import ActionFailed, ActionRunner, Done
from loom.build.project.problem import ProjectProblem
from loom.build.remote.execution.executor import Executor
from loom.build.remote.execution.terms import Terms
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.settings import Remote
from loom.build.sandbox.choose import choose_sandbox
from loom.build.sandbox.job import Sandbox
from loom.build.store.content import BlobLost, ContentStore
from loom.build.store.results import ResultStore
from loom.build.store.tree import Tree, TreeFile
from tests.engine.remote.casd import casd, worker
from tests.engine.world.world_kit import the_root
from tests.kit.ports import free_port
from tests.kit.waiting import until

SCRIPT = """
mkdir -p /out/report/class/end
cat /in/model/name > /out/report/HTTPLog
/build/model/say > /out/report/said
printf '#!/bin/sh\\n' > /out/report/class/run && chmod 755 /out/report/class/run
ln -s class/run /out/report/link
echo 'class end' > /out/single
echo told && echo warned >&2
"""


class Here:
    """The local sandbox; `sandbox` counts how often it was wanted."""

    isolated = True

    def __init__(self) -> None:
        self.wanted = 0

    def sandbox(self) -> Sandbox:
        self.wanted += 1
        return choose_sandbox("bubblewrap")

    def root(self, identity: str) -> Path:
        return the_root().folder


class Machine:
    """Its own store; without an address all runs here."""

    def __init__(self, root: Path, address: str = "", *, required: bool = False) -> None:
        self.content, self.results, self.here = ContentStore(root), ResultStore(root), Here()
        terms = Terms(required, 2, Remote().properties)
        self.executor = Executor(GrpcTransport(address, "", None), self.content, terms) if address else None
        self.runner = ActionRunner(self.content, self.results, self.here, elsewhere=self.executor)

    def tree(self, **files: str) -> Digest:
        entries = []
        for name, text in files.items():
            sha256, size = self.content.put(text.encode())
            entries.append(TreeFile(path=name, sha256=sha256, size=size, executable=text.startswith("#!")))
        return self.content.put_tree(Tree.of(entries))

    def action(self, script: str = SCRIPT, word: str = "harbour", timeout: int = 300) -> Action:
        tree = self.tree(name=word, say="#!/bin/sh\necho spoken >> /build/model/notes && cat /build/model/notes\n")
        return Action(
            kind="test/quay",
            steps=(
                ActionStep(name="first", argv=("/bin/sh", "-c", "echo begun")),
                ActionStep(name="class", argv=("/bin/sh", "-c", script)),
            ),
            inputs=(ActionInput.of("model", tree),),
            copy_in=("model",),
            outputs=(
                ActionOutput(name="report", path="/out/report"),
                ActionOutput(name="single", path="/out/single"),
            ),
            toolchain=the_root().identity,
            timeout=timeout,
            limits=ActionLimits(memory=1 << 30, processes=200),
        )

    def run(self, script: str = SCRIPT, word: str = "harbour", timeout: int = 300) -> Done:
        return self.runner.run(self.action(script, word, timeout))

    def has_run_here(self) -> bool:
        return self.here.wanted > 0


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that outlives its servers: toolchains travel once."""
    return tmp_path_factory.mktemp("engine") / "casd"


@pytest.fixture
def address(engine: Path) -> Iterator[str]:
    with casd(engine) as address:
        yield address


def words() -> str:
    """Marks the processes of one test."""
    return f"tide{secrets.token_hex(8)}"


def processes(word: str) -> list[int]:
    """Of the action that has `word` in its command line, on whatever worker of this machine."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes()
        except OSError:
            continue
        found += [int(place.parent.name)] if word.encode() in line and line.startswith(b"sleep\0") else []
    return found


SLEEPING = "sleep 100.{} ; echo late > /out/single"


def test_worker_and_local_sandbox_give_the_same_bytes_under_the_same_key(tmp_path: Path, address: str) -> None:
    here, there = Machine(tmp_path / "here"), Machine(tmp_path / "there", address)
    first, second = here.run(), there.run()
    assert (first.how, second.how) == ("ran", "remote") and not there.has_run_here()
    assert first.result == second.result
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr) == (b"begun\ntold\n", b"warned\n")
    links = {entry.path for entry in second.result.entries if not isinstance(entry, TreeFile)}
    programs = {entry.path for entry in second.result.entries if isinstance(entry, TreeFile) and entry.executable}
    assert links == {"report/link"} and programs == {"report/class/run"}


def test_result_of_a_worker_is_a_hit_here_and_the_other_way_round(tmp_path: Path, address: str) -> None:
    """Two ways to run, one store."""
    for name, makers in (("one", ("", address)), ("two", (address, ""))):
        first, second = (Machine(tmp_path / name, maker) for maker in makers)
        assert first.run(word=name).how in ("ran", "remote")
        assert second.run(word=name).how == "restored" and not second.has_run_here()


def test_failure_has_its_own_words_and_nobody_remembers_it(tmp_path: Path, address: str) -> None:
    """casd does remember failures, unless it is told not to; this one says another thing each time."""
    machine = Machine(tmp_path / "one", address)
    told = []
    for _ in range(2):
        with pytest.raises(ActionFailed, match=rf"test/quay, step `class`: exit code 41 \(at {address}\)") as failed:
            machine.run("cat /proc/sys/kernel/random/uuid; echo 'no class' >&2; exit 41")
        told.append(failed.value.stdout)
        assert failed.value.stderr == b"no class\n"
    assert told[0] != told[1] and not machine.has_run_here()


def test_time_that_runs_out_is_told(tmp_path: Path, address: str) -> None:
    machine, word = Machine(tmp_path / "one", address), secrets.randbelow(10**9)
    with pytest.raises(ActionFailed, match=r"ran out of time \(at") as failed:
        machine.run(f"echo so far; {SLEEPING.format(word)}", timeout=5)
    assert failed.value.stdout == b"begun\nso far\n" and not machine.has_run_here()
    until(lambda: not processes(f"100.{word}"))


def test_missing_output_is_told_as_it_is_here(tmp_path: Path, address: str) -> None:
    for maker in ("", address):
        with pytest.raises(ActionFailed, match="test/quay: succeeded without leaving /out/single"):
            Machine(tmp_path / f"of{maker[-4:]}", maker).run("mkdir /out/report && echo end > /out/report/x")


@pytest.mark.parametrize("ending", ["", "cat /in/spare/* > /out/single 2>/dev/null || echo fine > /out/single"])
def test_input_that_the_server_lost_is_given_again(
    tmp_path: Path, engine: Path, address: str, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    """After it was asked for it. casd tells only whoever opens the file, and not every tool minds."""
    machine, word = Machine(tmp_path / "one", address), words()
    spare = ActionInput.of("spare", machine.tree(end=word))
    copied = ("model",) if ending else ("model", "spare")
    first, second = (
        action.model_copy(update={"inputs": (*action.inputs, spare), "copy_in": copied})
        for action in (machine.action(f"{SCRIPT}{ending}\n# {turn}") for turn in ("neap", "spring"))
    )
    assert machine.runner.run(first).how == "remote"
    _lose(engine, word)
    done = machine.runner.run(second)
    assert done.how == "remote" and not machine.has_run_here()
    assert _text(machine, done, "single") == (word if ending else "class end\n")
    assert "WARNING" not in capsys.readouterr().err


def _text(machine: Machine, done: Done, output: str) -> str:
    (entry,) = done.result.tree(output).files
    return machine.content.get(entry.content).decode()


def _lose(engine: Path, text: str) -> None:
    sha256 = Digest.of(text.encode()).sha256
    (blob,) = [place for place in engine.rglob(sha256[2:]) if place.parent.name == sha256[:2]]
    blob.unlink()


def test_damaged_input_of_the_store_is_put_aside_and_never_sent(tmp_path: Path, address: str) -> None:
    machine, word = Machine(tmp_path / "one", address), words()
    action = machine.action(word=word)
    place = Path(machine.content.path(Digest.of(word.encode()).sha256))
    place.chmod(0o644)
    place.write_text(word[::-1])
    with pytest.raises(BlobLost):
        machine.runner.run(action)
    assert place.with_name(f"{place.name}.bad").exists()
    machine.tree(name=word)
    assert machine.runner.run(action).how == "remote"


def begun(machine: Machine, pool: ThreadPoolExecutor, word: int) -> Future[Done]:
    """Comes back when the action is at work on the worker."""
    running = pool.submit(machine.run, f"{SCRIPT}\nsleep 3.{word}")
    until(lambda: bool(processes(f"3.{word}")))
    return running


def test_server_that_dies_and_is_started_again_is_asked_again(
    tmp_path: Path, engine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = free_port()
    with ThreadPoolExecutor(1) as pool:
        with worker(engine, port) as (address, process):
            machine = Machine(tmp_path / "one", address)
            running = begun(machine, pool, secrets.randbelow(10**9))
            process.kill()
            process.wait()
        with worker(engine, port):
            assert running.result().how == "remote" and not machine.has_run_here()
    assert "WARNING" not in capsys.readouterr().err


@pytest.mark.parametrize("required", [False, True], ids=["auto", "required"])
def test_server_that_dies_for_good(
    tmp_path: Path, engine: Path, capsys: pytest.CaptureFixture[str], required: bool
) -> None:
    with ThreadPoolExecutor(1) as pool, worker(engine) as (address, process):
        machine = Machine(tmp_path / "one", address, required=required)
        running = begun(machine, pool, secrets.randbelow(10**9))
        process.kill()
        process.wait()
        if required:
            with pytest.raises(ProjectProblem, match=rf"the executor {address} cannot be reached, and it is required"):
                running.result()
            assert not machine.has_run_here()
            return
        assert running.result().how == "ran" and machine.has_run_here()
    assert capsys.readouterr().err.count("cannot be reached; going on in the local sandbox") == 1


def test_worker_that_dies_is_replaced(tmp_path: Path, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The program of buildbox that runs one action."""
    machine = Machine(tmp_path / "one", address)
    with ThreadPoolExecutor(1) as pool:
        word = secrets.randbelow(10**9)
        running = begun(machine, pool, word)
        os.kill(_runner(processes(f"3.{word}")[0]), signal.SIGKILL)
        assert running.result().how == "remote"
    assert "WARNING" not in capsys.readouterr().err and not machine.has_run_here()


def _runner(process: int) -> int:
    """The nearest buildbox-run above a process."""
    while (name := Path(f"/proc/{process}/comm").read_text().strip()) != "buildbox-run":
        assert process > 1, name
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return process


def test_run_that_is_ended_ends_its_actions_on_the_worker(tmp_path: Path, address: str) -> None:
    machine, word = Machine(tmp_path / "one", address), secrets.randbelow(10**9)
    assert machine.executor is not None
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(machine.run, SLEEPING.format(word))
        until(lambda: bool(processes(f"100.{word}")))
        machine.executor.stop()
        with pytest.raises(ActionFailed):
            running.result()
    until(lambda: not processes(f"100.{word}"))
    assert not machine.has_run_here()
    with pytest.raises(ActionFailed):
        machine.run(word="nothing begins after the end")
    assert not machine.has_run_here()


def test_what_needs_a_network_stays_here(tmp_path: Path, address: str) -> None:
    machine = Machine(tmp_path / "one", address, required=True)
    assert machine.executor is not None
    assert machine.executor.takes(machine.action())
    assert not machine.executor.takes(machine.action().model_copy(update={"network": "fetch"}))
