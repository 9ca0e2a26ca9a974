"""Whatever a server of the Remote Execution API answers, a build gives the right result, in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from loom.base import Digest
from loom.build.project.problem import ProjectProblem
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.places.transport import PATIENCE, Patience
from loom.build.remote.protocol import reapi
from loom.build.remote.protocol.wire import encode_digest, message, number
from tests.engine.remote.site import HASTY, SCRIPT, TOKEN, Site, assert_right_and_clean
from tests.engine.remote.talker import SHA256, UPDATES, Context, Talker, read_response, talker, wanted

Lie = Callable[[Talker, str, bytes, Context], bytes | None]


def site(root: Path, server: Talker, *, required: bool = False, patience: Patience = PATIENCE) -> Site:
    return Site(root, GrpcTransport(server.address, TOKEN, None, patience), required=required)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Talker]:
    """Warm: an honest machine was here."""
    with talker() as server:
        assert site(tmp_path / "first", server).run().how == "ran"
        yield server


def test_honest_server_is_believed(tmp_path: Path, server: Talker) -> None:
    second = site(tmp_path / "second", server)
    done = second.run()
    assert done.how == "restored" and not second.log.exists()
    assert_right_and_clean(second, done)


def _fails(*methods: str, status: grpc.StatusCode) -> Lie:
    def lie(server: Talker, method: str, request: bytes, context: Context) -> None:
        if method in methods:
            context.abort(status, f"somebody's words, and {TOKEN}")

    return lie


def _answers(asked: str, answer: Callable[[Talker, bytes], bytes]) -> Lie:
    return lambda server, method, request, context: answer(server, request) if method == asked else None


def _read(each: Callable[[Digest, bytes], bytes]) -> Lie:
    """Of every blob in a batch."""
    return _answers(
        reapi.BATCH_READ,
        lambda server, request: b"".join(each(one, server.blobs[one]) for one in wanted(request)),
    )


def _hang(asked: str) -> Lie:
    def lie(server: Talker, method: str, request: bytes, context: Context) -> None:
        if method == asked:
            server.ended.wait(20)

    return lie


def _bomb(asked: str) -> Lie:
    """128 MiB, of which little is to be seen on the way."""

    def lie(server: Talker, method: str, request: bytes, context: Context) -> bytes | None:
        if method != asked:
            return None
        context.set_compression(grpc.Compression.Gzip)
        return bytes(128 << 20)

    return lie


STATUS = message(3, number(1, grpc.StatusCode.UNAVAILABLE.value[0]))
CAPABILITIES = {
    "no capabilities": _fails(reapi.GET_CAPABILITIES, status=grpc.StatusCode.UNIMPLEMENTED),
    "capabilities for others": _fails(reapi.GET_CAPABILITIES, status=grpc.StatusCode.PERMISSION_DENIED),
    "no such instance": _fails(reapi.GET_CAPABILITIES, status=grpc.StatusCode.NOT_FOUND),
    "empty capabilities": _answers(reapi.GET_CAPABILITIES, lambda server, request: b""),
    "other digests": _answers(reapi.GET_CAPABILITIES, lambda server, request: message(1, message(1, bytes([3, 5])))),
    "garbled capabilities": _answers(reapi.GET_CAPABILITIES, lambda server, request: b"\xff\xff\xff"),
    "capabilities that are a number": _answers(reapi.GET_CAPABILITIES, lambda server, request: number(1, 7)),
    "capabilities never": _hang(reapi.GET_CAPABILITIES),
}
RESULTS = {
    "result fails": _fails(reapi.GET_RESULT, status=grpc.StatusCode.INTERNAL),
    "result exhausted": _fails(reapi.GET_RESULT, status=grpc.StatusCode.RESOURCE_EXHAUSTED),
    "result never": _hang(reapi.GET_RESULT),
    "result garbled": _answers(reapi.GET_RESULT, lambda server, request: b"\x12\xff\xff\xff\xff\x0f"),
    "result empty": _answers(reapi.GET_RESULT, lambda server, request: b""),
    "result that is a bomb": _bomb(reapi.GET_RESULT),
    "result past 4 MiB": _answers(reapi.GET_RESULT, lambda server, request: b"\x12" * (5 << 20)),
}
BLOBS = {
    "wrong bytes": _read(lambda digest, data: read_response(digest, b"~" * len(data))),
    "shorter": _read(lambda digest, data: read_response(digest, data[:-1])),
    "longer": _read(lambda digest, data: read_response(digest, data + b"~")),
    "empty": _read(lambda digest, data: read_response(digest, b"")),
    "other size": _read(lambda digest, data: read_response(digest._replace(size=digest.size + 1), data)),
    "not asked for": _read(lambda digest, data: read_response(Digest.of(b"class"), b"class")),
    "twice": _read(lambda digest, data: read_response(digest, data) * 2),
    "no digest": _read(lambda digest, data: message(1, message(2, data))),
    "digest that is a path": _read(lambda digest, data: message(1, message(1, message(1, b"../../etc")))),
    "left out": _answers(reapi.BATCH_READ, lambda server, request: b""),
    "refused one by one": _read(lambda digest, data: message(1, message(1, encode_digest(digest)) + STATUS)),
    "garbled": _answers(reapi.BATCH_READ, lambda server, request: b"\xff" * 50),
    "fails": _fails(reapi.BATCH_READ, status=grpc.StatusCode.DATA_LOSS),
    "never": _hang(reapi.BATCH_READ),
    "bomb": _bomb(reapi.BATCH_READ),
    "past 4 MiB": _answers(reapi.BATCH_READ, lambda server, request: bytes(5 << 20)),
}
LIES = {**CAPABILITIES, **RESULTS, **BLOBS}


@pytest.mark.parametrize("lie", LIES)
def test_lie_costs_a_run_and_nothing_else(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str], lie: str
) -> None:
    server.twist = lambda *asked: LIES[lie](server, *asked)
    second = site(tmp_path / "second", server, patience=HASTY if "never" in lie else PATIENCE)
    done = second.run()
    assert done.how == "ran" and second.log.read_text().count("\n") == 1
    assert_right_and_clean(second, done)
    said = capsys.readouterr().err
    assert said.count("WARNING") == 1, said
    assert TOKEN not in said and "somebody" not in said


def test_blob_that_is_lost_is_a_miss_and_is_sent_again(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str]
) -> None:
    """Although the server says that it misses nothing."""
    server.blobs = {digest: data for digest, data in server.blobs.items() if data == b"class end\n"}
    server.twist = lambda *asked: _answers(reapi.FIND_MISSING, lambda server, request: b"")(server, *asked)
    for name, how in (("second", "ran"), ("third", "restored")):
        other = site(tmp_path / name, server)
        done = other.run()
        assert done.how == how
        assert_right_and_clean(other, done)
    assert "WARNING" not in capsys.readouterr().err


Stream = Callable[[Context], Iterator[bytes]]


def _endless(context: Context) -> Iterator[bytes]:
    while context.is_active():
        yield message(10, bytes(1_000_000))


def _drips(context: Context) -> Iterator[bytes]:
    while context.is_active():
        time.sleep(0.05)
        yield message(10, b"\0")


def _fails_late(context: Context) -> Iterator[bytes]:
    yield message(10, bytes(1_000_000))
    context.abort(grpc.StatusCode.UNAVAILABLE, "gone")


STREAMS: dict[str, Stream] = {
    "longer": lambda context: (message(10, bytes(1_000_000)) for _ in range(5)),
    "shorter": lambda context: (message(10, bytes(1_000_000)) for _ in range(3)),
    "wrong": lambda context: (message(10, b"~" * 1_000_000) for _ in range(4)),
    "garbled": lambda context: iter([b"\xff" * 50]),
    "nothing": lambda context: iter([]),
    "endless": _endless,
    "drips": _drips,
    "fails late": _fails_late,
}


@pytest.mark.parametrize("lie", STREAMS)
def test_stream_that_lies_costs_a_run_and_nothing_else(tmp_path: Path, lie: str) -> None:
    """A blob that is too large for a batch."""
    script = "mkdir /out/report; head -c 4000000 /dev/zero > /out/report/HTTPLog"
    with talker() as server:
        site(tmp_path / "first", server).run(script)
        server.stream = lambda request, context: STREAMS[lie](context)
        second = site(tmp_path / "second", server, patience=HASTY if lie == "drips" else PATIENCE)
        assert second.run(script).how == "ran"
        assert not any((second.root / "tmp").iterdir())


@pytest.mark.parametrize("method", [reapi.FIND_MISSING, reapi.BATCH_UPDATE, reapi.UPDATE_RESULT])
@pytest.mark.parametrize("status", [grpc.StatusCode.NOT_FOUND, grpc.StatusCode.RESOURCE_EXHAUSTED])
def test_failed_write_harms_nobody_and_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str, status: grpc.StatusCode
) -> None:
    with talker() as server:
        server.twist = lambda *asked: _fails(method, status=status)(server, *asked)
        first = site(tmp_path / "first", server)
        assert_right_and_clean(first, first.run())
        assert not server.results
    assert capsys.readouterr().err.count("WARNING") == 1


def test_blob_that_was_not_kept_leaves_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It answers, and says nothing of one of them."""
    with talker() as server:
        server.twist = lambda *asked: _answers(reapi.BATCH_UPDATE, lambda server, request: b"")(server, *asked)
        site(tmp_path / "first", server).run()
        assert not server.results
    assert capsys.readouterr().err.count("WARNING") == 1


def test_server_that_takes_no_results_is_read(tmp_path: Path, server: Talker) -> None:
    answer = message(1, SHA256)
    assert UPDATES not in answer
    server.twist = lambda *asked: _answers(reapi.GET_CAPABILITIES, lambda server, request: answer)(server, *asked)
    second = site(tmp_path / "second", server)
    assert second.runner.run(second.action()).how == "restored"
    before = dict(server.results)
    assert second.run(f"{SCRIPT} again").how == "ran"
    assert server.results == before


def test_token_that_runs_out_during_a_run_is_told_once_and_costs_nothing_else(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str]
) -> None:
    second = site(tmp_path / "second", server)
    assert second.runner.run(second.action()).how == "restored"
    every = (reapi.GET_RESULT, reapi.FIND_MISSING, reapi.BATCH_UPDATE, reapi.UPDATE_RESULT)
    server.twist = lambda *asked: _fails(*every, status=grpc.StatusCode.UNAUTHENTICATED)(server, *asked)
    before = server.count(reapi.GET_RESULT)
    for word in ("neap", "tide", "spring", "ebb", "flood", "slack"):
        assert second.runner.run(second.action(f"{SCRIPT} {word}")).how == "ran"
    second.shared.close()
    assert server.count(reapi.GET_RESULT) - before == 3
    said = capsys.readouterr().err
    assert said.count("WARNING") == 1 and "refuses (UNAUTHENTICATED)" in said and TOKEN not in said


def test_required_cache_that_fails_ends_the_build(tmp_path: Path, server: Talker) -> None:
    server.twist = lambda *asked: _fails(reapi.GET_RESULT, status=grpc.StatusCode.INTERNAL)(server, *asked)
    with pytest.raises(ProjectProblem, match="answers INTERNAL, and it is required"):
        site(tmp_path / "second", server, required=True).run()
