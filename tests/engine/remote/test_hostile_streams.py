"""However a server's answer about an action comes, or breaks off, a build gives the right result, in time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from loom.base import Digest
from loom.build.remote.places.transport import Patience
from loom.build.remote.protocol import execution, reapi
from loom.build.remote.protocol.wire import message, number
from tests.engine.remote.cable import cable
from tests.engine.remote.site import HASTY, SCRIPT
from tests.engine.remote.talker import Context, Talker
from tests.engine.remote.worker import (
    NAME,
    Answer,
    Employer,
    Report,
    assert_right,
    begun,
    heard,
    honest,
    says,
)
from tests.kit.waiting import LONGEST


def _breaks(status: grpc.StatusCode, *before: bytes) -> Answer:
    def answer(method: str, request: bytes, context: Context) -> Iterator[bytes]:
        yield from before
        context.abort(status, "somebody's words")

    return answer


def _endless(method: str, request: bytes, context: Context) -> Iterator[bytes]:
    while context.is_active():
        yield begun()


def _silent(server: Talker) -> Answer:
    def answer(method: str, request: bytes, context: Context) -> Iterator[bytes]:
        yield begun()
        server.ended.wait(20)

    return answer


STREAMS: dict[str, Callable[[Talker], Answer]] = {
    "refuses": lambda server: _breaks(grpc.StatusCode.PERMISSION_DENIED),
    "knows no actions": lambda server: _breaks(grpc.StatusCode.UNIMPLEMENTED),
    "is always away": lambda server: _breaks(grpc.StatusCode.UNAVAILABLE),
    "always breaks off": lambda server: _breaks(grpc.StatusCode.UNAVAILABLE, begun()),
    "always loses the action": lambda server: _breaks(grpc.StatusCode.NOT_FOUND, begun()),
    "always lacks an input": lambda server: _breaks(grpc.StatusCode.FAILED_PRECONDITION),
    "says nothing": lambda server: says(),
    "says only that it begins": lambda server: says(begun()),
    "garbled": lambda server: says(b"\xff" * 50),
    "an operation without an answer": lambda server: says(begun() + number(3, 1)),
    "an error without a code": lambda server: says(begun() + number(3, 1) + message(4, b"")),
    "never ends": lambda server: _endless,
    "falls silent": _silent,
}


@pytest.mark.parametrize("stream", STREAMS)
def test_stream_that_goes_wrong_leaves_it_to_the_local_sandbox(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str], stream: str
) -> None:
    server.executes = STREAMS[stream](server)
    employer = Employer(tmp_path / "one", server)
    done = employer.run()
    assert done.how == "ran" and employer.ran_here == 1
    assert_right(employer, done)
    said = capsys.readouterr().err
    assert said.count("WARNING") == 1 and "going on in the local sandbox" in said and "somebody" not in said
    assert server.count(execution.EXECUTE) <= 3 and server.count(execution.WAIT) <= 9


def _at_last(server: Talker, *first: Answer) -> Answer:
    """Each of these once, then the truth."""
    waiting = list(first)

    def answer(method: str, request: bytes, context: Context) -> Iterator[bytes]:
        return (waiting.pop(0) if waiting else says(honest(server).operation()))(method, request, context)

    return answer


RECOVERIES: dict[str, tuple[Answer, int, int]] = {
    "stream breaks off": (_breaks(grpc.StatusCode.UNAVAILABLE, begun()), 1, 1),
    "stream ends early": (says(begun()), 1, 1),
    "server is away": (_breaks(grpc.StatusCode.UNAVAILABLE), 2, 0),
    "lacks an input": (_breaks(grpc.StatusCode.FAILED_PRECONDITION), 2, 0),
    "lacks an input, it turns out": (says(begun(), Report((), (), status=9).operation()), 2, 0),
    "broke inside": (says(begun(), Report((), (), status=13).operation()), 2, 0),
    "no worker is free": (says(begun(), Report((), (), status=8).operation()), 2, 0),
}


@pytest.mark.parametrize("trouble", RECOVERIES)
def test_trouble_that_passes_is_got_over(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str], trouble: str
) -> None:
    first, executed, waited = RECOVERIES[trouble]
    server.executes = _at_last(server, first)
    employer = Employer(tmp_path / "one", server)
    done = employer.run()
    assert done.how == "remote" and employer.ran_here == 0
    assert_right(employer, done)
    assert (server.count(execution.EXECUTE), server.count(execution.WAIT)) == (executed, waited)
    assert "WARNING" not in capsys.readouterr().err


def test_broken_stream_is_taken_up_by_the_name_of_the_operation(tmp_path: Path, server: Talker) -> None:
    asked: list[bytes] = []
    server.executes = heard(asked, _at_last(server, _breaks(grpc.StatusCode.UNAVAILABLE, begun())))
    Employer(tmp_path / "one", server).run()
    assert asked[1] == message(1, NAME.encode())


def test_network_that_falls_silent_is_noticed(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str]
) -> None:
    """Long before the action, which may take an hour, has to be done."""
    with cable(server.address) as line:

        def falling_silent(method: str, request: bytes, context: Context) -> Iterator[bytes]:
            yield begun()
            line.cut.set()
            server.ended.wait(60)

        server.executes = falling_silent
        employer = Employer(tmp_path / "one", line, patience=Patience(connect=5, answer=5, idle=1))
        done = employer.runner.run(employer.action().model_copy(update={"timeout": 3600}))
        employer.executor.close()
    assert line.cut.is_set() and done.how == "ran" and employer.ran_here == 1
    assert_right(employer, done)
    assert "cannot be reached; going on in the local sandbox" in capsys.readouterr().err


def test_what_a_worker_left_and_the_server_lost_is_made_once_more(tmp_path: Path, server: Talker) -> None:
    def forgetful(method: str, request: bytes, context: Context) -> Iterator[bytes]:
        report = honest(server)
        if server.count(execution.EXECUTE) == 1:
            del server.blobs[Digest.of(b"class end\n")]
        yield report.operation()

    server.executes = forgetful
    employer = Employer(tmp_path / "one", server)
    done = employer.run()
    assert_right(employer, done)
    assert done.how == "remote" and server.count(execution.EXECUTE) == 2


def test_server_that_runs_no_actions_is_told_once(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str]
) -> None:
    server.executes = None
    employer = Employer(tmp_path / "one", server)
    for word in ("neap", "spring"):
        assert employer.runner.run(employer.action(f"{SCRIPT} {word}")).how == "ran"
    employer.executor.close()
    said = capsys.readouterr().err
    assert said.count("WARNING") == 1 and "runs no actions; going on in the local sandbox" in said


def test_server_that_keeps_failing_is_left_alone(tmp_path: Path, server: Talker) -> None:
    server.executes = _breaks(grpc.StatusCode.PERMISSION_DENIED)
    employer = Employer(tmp_path / "one", server)
    for word in ("neap", "spring", "ebb", "flood", "slack"):
        assert employer.runner.run(employer.action(f"{SCRIPT} {word}")).how == "ran"
    employer.executor.close()
    assert server.count(execution.EXECUTE) == 3 and employer.ran_here == 5


def test_upload_that_fails_leaves_it_to_the_local_sandbox(tmp_path: Path, server: Talker) -> None:
    def lie(method: str, request: bytes, context: Context) -> None:
        if method == reapi.BATCH_UPDATE:
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "full")

    server.twist = lie
    employer = Employer(tmp_path / "one", server, patience=HASTY)
    assert employer.run().how == "ran" and server.count(execution.EXECUTE) == 0


def test_file_that_is_too_large_for_the_server_leaves_it_to_the_local_sandbox(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str]
) -> None:
    server.largest = 1000
    assert Employer(tmp_path / "one", server).run().how == "ran"
    assert "does not take files of" in capsys.readouterr().err


def test_as_many_run_there_at_once_as_were_agreed(tmp_path: Path, server: Talker) -> None:
    """Two: each waits for another one to be there, and a third never is."""
    pair, lock, busy, busiest = threading.Barrier(2, timeout=LONGEST), threading.Lock(), [0], [0]

    def together(method: str, request: bytes, context: Context) -> Iterator[bytes]:
        with lock:
            busy[0] += 1
            busiest[0] = max(busiest[0], busy[0])
        pair.wait()
        with lock:
            busy[0] -= 1
        yield honest(server).operation()

    server.executes = together
    employer = Employer(tmp_path / "one", server)
    with ThreadPoolExecutor(6) as pool:
        scripts = [f"{SCRIPT} {word}" for word in ("neap", "spring", "ebb", "flood", "slack", "class")]
        done = list(pool.map(lambda script: employer.runner.run(employer.action(script)).how, scripts))
    employer.executor.close()
    assert done == ["remote"] * 6 and busiest == [2]


def test_what_is_left_to_the_local_sandbox_runs_one_by_one(tmp_path: Path, server: Talker) -> None:
    """Many at once is what workers are for."""
    server.executes = _breaks(grpc.StatusCode.PERMISSION_DENIED)
    employer = Employer(tmp_path / "one", server)
    alone = f"mkdir {tmp_path}/alone && sleep 0.2 && rmdir {tmp_path}/alone && {SCRIPT}"
    with ThreadPoolExecutor(4) as pool:
        scripts = [f"{alone} {word}" for word in ("neap", "spring", "ebb", "flood")]
        done = list(pool.map(lambda script: employer.runner.run(employer.action(script)).how, scripts))
    employer.executor.close()
    assert done == ["ran"] * 4
