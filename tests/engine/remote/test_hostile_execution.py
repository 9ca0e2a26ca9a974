"""Whatever a server says of an action that it was asked to run, a build gives the right result, in time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from loom.base import Digest
from loom.build.actions.cached import ActionFailed, Done
from loom.build.project.problem import ProjectProblem
from loom.build.remote.protocol import execution, reapi
from loom.build.remote.protocol.wire import WireError, fields, message, number
from tests.engine.remote.site import HASTY, SCRIPT, shown
from tests.engine.remote.talker import Context, Talker, talker
from tests.engine.remote.worker import (
    NAME,
    Answer,
    Employer,
    Report,
    begun,
    file,
    folder,
    heard,
    honest,
    kept,
    node,
    says,
    tree,
)

RIGHT = {"HTTPLog": b"harbour", "berth": b"class end\n"}


@pytest.fixture
def server() -> Iterator[Talker]:
    with talker() as server:
        server.executes = says(begun(), honest(server).operation())
        yield server


def assert_right(employer: Employer, done: Done) -> None:
    assert shown(done, employer.root) == RIGHT and done.stdout == b"said\n"
    assert not any((employer.root / "work").iterdir()) and not any((employer.root / "tmp").iterdir())


def test_honest_server_is_believed(tmp_path: Path, server: Talker) -> None:
    employer = Employer(tmp_path / "one", server)
    done = employer.run()
    assert done.how == "remote" and employer.ran_here == 0
    assert_right(employer, done)
    assert employer.runner.run(employer.action()).how == "restored"


def test_action_carries_its_key_and_asks_for_a_run_that_nobody_remembers(tmp_path: Path, server: Talker) -> None:
    asked: list[bytes] = []
    server.executes = heard(asked, says(honest(server).operation()))
    employer = Employer(tmp_path / "one", server)
    employer.run()
    (request,) = asked
    assert (3, 1) in fields(request)
    key = (9, employer.runner.key(employer.action()).encode())
    (action,) = [found for data in server.blobs.values() if key in (found := _read(data))]
    assert (7, 1) in action


def _read(data: bytes) -> list[tuple[int, int | bytes]]:
    try:
        return list(fields(data))
    except WireError:
        return []


Lie = Callable[[Talker, Report], Report]


def _folder(make: Callable[[Talker], Digest]) -> Lie:
    return lambda server, report: report._replace(folders=(folder("out/report", make(server)),))


def _more(*files: tuple[str, bytes]) -> Lie:
    def lie(server: Talker, report: Report) -> Report:
        return report._replace(files=(*report.files, *(file(path, kept(server, data)) for path, data in files)))

    return lie


def _link(target: str) -> Lie:
    return _folder(lambda server: tree(server, links=message(1, b"end") + message(2, target.encode())))


def _named(name: str) -> Lie:
    return _folder(lambda server: tree(server, files=node(name, kept(server, b"class"))))


def _without_step(server: Talker, report: Report) -> Report:
    return report._replace(files=())


def _damaged_blob(server: Talker, report: Report) -> Report:
    server.blobs[Digest.of(b"class end\n")] = b"class fin\n"
    return report


def _bomb(server: Talker) -> Digest:
    """Few messages that stand for more folders than there are atoms."""
    last, children = b"", b""
    for _ in range(60):
        digest = Digest.of(last)
        children += message(2, last)
        last = b"".join(message(2, node(name, digest)) for name in ("a", "b"))
    return kept(server, message(1, last) + children)


def _deep(server: Talker, name: str, folders: int) -> Digest:
    """One file below so many folders."""
    last, children = message(1, node("end", kept(server, b"class"))), b""
    for _ in range(folders):
        children += message(2, last)
        last = message(2, node(name, Digest.of(last)))
    return kept(server, message(1, last) + children)


OUTCOMES: dict[str, Lie] = {
    "undeclared output": _more(("out/class", b"end")),
    "undeclared output beside": _more(("in/model/name", b"end")),
    "path that climbs": _more(("out/report/../../end", b"end")),
    "absolute path": _more(("/etc/passwd", b"end")),
    "path twice": _more(("out/report", b"end")),
    "output that is damaged": _damaged_blob,
    "name that climbs": _named(".."),
    "name that is a path": _named("../../end"),
    "empty name": _named(""),
    "name with a backslash": _named("a\\b"),
    "link that leads out": _link("../../../etc/passwd"),
    "absolute link": _link("/etc/passwd"),
    "link through a name": _link("a/../../.."),
    "folder that is not there": _folder(
        lambda server: tree(server, folders=node("berth", Digest.of(b"nobody has this")))
    ),
    "folders without end": _folder(_bomb),
    "folders deeper than any": _folder(lambda server: _deep(server, "a", 400)),
    "folders deeper than a stack": _folder(lambda server: _deep(server, "a", 2000)),
    "path longer than any": _folder(lambda server: _deep(server, "class" * 40, 30)),
    "name longer than any": _named("é" * 128),
    "link longer than any": _link("/".join(["HTTPServer"] * 300)),
    "tree that is garbled": _folder(lambda server: kept(server, b"\xff" * 40)),
    "result that is garbled": lambda server, report: report._replace(rest=b"\x12\xff\xff\xff\xff\x0f"),
    "two spellings of a name": _folder(
        lambda server: kept(
            server, message(1, b"".join(message(1, node(name, Digest.of(b"harbour"))) for name in ("end", "END")))
        )
    ),
    "huge output": lambda server, report: report._replace(
        files=(*report.files, file("out/report/x", Digest("a" * 64, 1 << 40)))
    ),
    "success before the last step": _without_step,
    "success at another step": lambda server, report: report._replace(
        files=(file("out/.loom-step", kept(server, b"class\n")),)
    ),
    "endless name of a step": lambda server, report: report._replace(
        files=(file("out/.loom-step", kept(server, b"only\n" * 1000)),)
    ),
    "remembered failure": lambda server, report: report._replace(code=1, cached=True),
    "success with a failed status": lambda server, report: report._replace(status=3),
    "failure of its own sandbox": lambda server, report: Report((), (), code=1),
    "time that ran out at once": lambda server, report: report._replace(status=4),
}


@pytest.mark.parametrize("lie", OUTCOMES)
def test_lie_about_an_action_leaves_it_to_the_local_sandbox(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str], lie: str
) -> None:
    server.executes = says(begun(), OUTCOMES[lie](server, honest(server)).operation())
    employer = Employer(tmp_path / "one", server)
    done = employer.run()
    assert done.how == "ran" and employer.ran_here == 1
    assert_right(employer, done)
    assert capsys.readouterr().err.count("WARNING") == 1


def test_words_of_a_server_do_nothing_to_a_terminal(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str]
) -> None:
    server.executes = says(_link("/\x1b[2J\r\nWARNING: class")(server, honest(server)).operation())
    assert Employer(tmp_path / "one", server).run().how == "ran"
    said = capsys.readouterr().err
    assert "/?[2J??WARNING" in said and said.count("\n") == 1 and "\x1b" not in said


@pytest.mark.parametrize("lie", ["undeclared output", "success before the last step", "remembered failure"])
def test_lie_to_who_requires_the_executor_is_an_error(tmp_path: Path, server: Talker, lie: str) -> None:
    server.executes = says(begun(), OUTCOMES[lie](server, honest(server)).operation())
    employer = Employer(tmp_path / "one", server, required=True)
    with pytest.raises(ProjectProblem, match=r"gave a wrong result for test/shell, which is not used.*it is required"):
        employer.run()
    assert employer.ran_here == 0 and employer.runner.known(employer.action()) is None


def test_link_that_stays_inside_and_programs_come_as_they_are(tmp_path: Path, server: Talker) -> None:
    entry = node("end", kept(server, b"class")) + number(4, 1)
    whole = tree(server, files=entry, links=message(1, b"HTTPServer") + message(2, b"end"))
    server.executes = says(honest(server)._replace(folders=(folder("out/report", whole),)).operation())
    entries = Employer(tmp_path / "one", server).run().result.tree("report").entries
    assert [(entry.path, getattr(entry, "target", ""), getattr(entry, "executable", None)) for entry in entries] == [
        ("HTTPServer", "end", None),
        ("end", "", True),
    ]


def test_failure_is_told_and_never_kept(tmp_path: Path, server: Talker) -> None:
    """With the outputs of a success, so that nothing but the exit code tells."""
    server.executes = says(honest(server)._replace(code=3).operation())
    employer = Employer(tmp_path / "one", server)
    for _ in range(2):
        with pytest.raises(ActionFailed, match=rf"test/shell, step `only`: exit code 3 \(at {server.address}\)"):
            employer.runner.run(employer.action())
    assert employer.ran_here == 0 and server.count(execution.EXECUTE) == 2
    assert employer.runner.known(employer.action()) is None
    employer.executor.close()


def test_output_that_is_left_out_is_a_failure(tmp_path: Path, server: Talker) -> None:
    server.executes = says(honest(server)._replace(folders=()).operation())
    with pytest.raises(ActionFailed, match="succeeded without leaving /out/report"):
        Employer(tmp_path / "one", server).run()


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
    pair, lock, busy, busiest = threading.Barrier(2, timeout=20), threading.Lock(), [0], [0]

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
