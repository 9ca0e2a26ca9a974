"""Whatever a cache answers, a build gives the right result, in time, and keeps nothing of the lies."""

from __future__ import annotations

import functools
import gzip
import itertools
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loom.build.actions.cached import ActionFailed
from loom.build.project.problem import ProjectProblem
from loom.build.remote.places.transport import PATIENCE, Patience
from tests.engine.remote.liar import Asked, Liar, Twist, liar
from tests.engine.remote.site import HASTY, SCRIPT, TOKEN, assert_right_and_clean, shown
from tests.engine.remote.web import WebSite, filled
from tests.kit.waiting import LONGEST


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Liar]:
    with filled(tmp_path / "first") as server:
        yield server


def test_honest_server_is_believed(tmp_path: Path, server: Liar) -> None:
    site = WebSite(tmp_path / "second", server)
    done = site.run()
    assert done.how == "restored" and done.stdout == b"said\n" and not site.log.exists()
    assert_right_and_clean(site, done)


def test_chunks_without_a_length_are_fine(tmp_path: Path, server: Liar) -> None:
    def chunks(asked: Asked) -> None:
        if asked.command != "GET" or asked.stored is None:
            asked.honest()
            return
        asked.send_response(200)
        asked.send_header("Transfer-Encoding", "chunked")
        asked.end_headers()
        for byte in asked.stored:
            asked.wfile.write(b"1\r\n%c\r\n" % byte)
        asked.wfile.write(b"0\r\n\r\n")

    server.twist = chunks
    site = WebSite(tmp_path / "second", server)
    done = site.run()
    assert done.how == "restored"
    assert_right_and_clean(site, done)


def _on(kind: str, lie: Callable[[Asked, bytes], None]) -> Twist:
    """Lies about what is asked for by GET; honest otherwise."""

    def twist(asked: Asked) -> None:
        if asked.command == "GET" and asked.kind == kind and asked.stored is not None:
            lie(asked, asked.stored)
        else:
            asked.honest()

    return twist


def _drip(asked: Asked, data: bytes) -> None:
    """The truth, a byte at a time: who waits for all of it believes it."""
    asked.send_response(200)
    asked.send_header("Content-Length", str(len(data)))
    asked.end_headers()
    for byte in data:
        if not asked.server.ended.wait(0.5):
            asked.wfile.write(b"%c" % byte)


def _drip_header(asked: Asked, data: bytes) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not asked.server.ended.wait(0.2):
        asked.wfile.write(b"x")


def _flood(asked: Asked, data: bytes) -> None:
    asked.send_response(200)
    asked.send_header("Connection", "close")
    asked.end_headers()
    while not asked.server.ended.is_set():
        asked.wfile.write(b"x" * 65536)


def _garbage(asked: Asked, data: bytes) -> None:
    asked.wfile.write(b"\0\1\2 no such protocol\r\n\r\n")
    asked.close_connection = True


def _half_close(asked: Asked, data: bytes) -> None:
    """It will send no more, says TCP, and goes on listening."""
    asked.send_response(200)
    asked.send_header("Content-Length", str(len(data)))
    asked.end_headers()
    asked.wfile.write(data[:-1])
    asked.connection.shutdown(socket.SHUT_WR)
    asked.server.ended.wait(20)
    asked.close_connection = True


def _old_and_cut(asked: Asked, data: bytes) -> None:
    """HTTP/1.0 without a length: where it ends, only the digest can tell."""
    asked.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + data[:-1])
    asked.close_connection = True


def _continue_for_ever(asked: Asked, data: bytes) -> None:
    while not asked.server.ended.wait(0.01):
        asked.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")


def _many_headers(asked: Asked, data: bytes) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-Tide-%d: neap\r\n" % number for number in range(5000)))
    asked.wfile.write(b"\r\n")
    asked.close_connection = True


def _cut(asked: Asked, data: bytes, length: int) -> None:
    asked.say(200, data, length=str(length))
    _close(asked)


@functools.cache
def _bomb() -> bytes:
    """What becomes 128 MiB when somebody unpacks it."""
    return gzip.compress(bytes(128 << 20), 1)


LIES: dict[str, Callable[[Asked, bytes], None]] = {
    "wrong bytes": lambda asked, data: asked.say(200, b"~" * len(data)),
    "shorter": lambda asked, data: asked.say(200, data[:-1]),
    "longer": lambda asked, data: asked.say(200, data + b"~"),
    "empty": lambda asked, data: asked.say(200, b""),
    "breaks off": lambda asked, data: _cut(asked, data[:1], len(data)),
    "hangs": lambda asked, data: None if asked.server.ended.wait(20) else asked.honest(),
    "drips": _drip,
    "drips headers": _drip_header,
    "floods": _flood,
    "no HTTP": _garbage,
    "500": lambda asked, data: asked.say(500, b"<html>oops</html>"),
    "429": lambda asked, data: asked.say(429, b"", Retry_After="3600"),
    "403": lambda asked, data: asked.say(403, b""),
    "gzip": lambda asked, data: asked.say(200, data, Content_Encoding="gzip"),
    "zstd": lambda asked, data: asked.say(200, data, Content_Encoding="zstd"),
    "gzip bomb": lambda asked, data: asked.say(200, _bomb(), Content_Encoding="gzip"),
    "gzip bomb in transfer": lambda asked, data: asked.say(200, _bomb(), Transfer_Encoding="gzip"),
    "gzip bomb without a word": lambda asked, data: asked.say(200, _bomb()),
    "lost": lambda asked, data: asked.say(404, b""),
    "half-closes": _half_close,
    "HTTP/1.0, cut": _old_and_cut,
    "length too small": lambda asked, data: _cut(asked, data, len(data) - 1),
    "length too large": lambda asked, data: asked.say(200, data, length=str(len(data) + 10)),
    "length negative": lambda asked, data: asked.say(200, data[:-1], length="-1"),
    "length in words": lambda asked, data: asked.say(200, data[:-1], length="class"),
    "length beyond all": lambda asked, data: asked.say(200, data, length="9" * 30),
    "continues for ever": _continue_for_ever,
    "headers without end": _many_headers,
    "206": lambda asked, data: asked.say(206, data[:-1], Content_Range=f"bytes 0-{len(data) - 2}/{len(data)}"),
    "503": lambda asked, data: asked.say(503, b"", Retry_After="0"),
    "507": lambda asked, data: asked.say(507, b""),
}


def _close(asked: Asked) -> None:
    asked.close_connection = True


NO_LENGTH = ("length too large", "length negative", "length in words", "length beyond all")
ENDLESS = ("hangs", "drips", "drips headers", "half-closes", "continues for ever", *NO_LENGTH)


@pytest.mark.parametrize("kind", ["ac", "cas"])
@pytest.mark.parametrize("lie", LIES)
def test_lie_costs_a_run_and_nothing_else(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str], kind: str, lie: str
) -> None:
    server.twist = _on(kind, LIES[lie])
    site = WebSite(tmp_path / "second", server, patience=HASTY if lie in ENDLESS else PATIENCE)
    done = site.run()
    assert done.how == "ran" and site.log.read_text().count("\n") == 1
    assert_right_and_clean(site, done)
    said = capsys.readouterr().err
    assert said.count("WARNING") == (0 if lie == "lost" else 1), said
    assert TOKEN not in said and "oops" not in said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed_and_tells_nobody_the_token(tmp_path: Path, server: Liar, status: int) -> None:
    with liar() as other:
        server.twist = lambda asked: asked.say(status, b"", Location=f"{other.address}/{asked.kind}/{asked.name}")
        assert WebSite(tmp_path / "second", server).run().how == "ran"
        assert other.asked == []


def test_server_of_the_last_century_is_fine(tmp_path: Path, server: Liar) -> None:
    """HTTP/1.0 keeps no connection, and the end of a body is the end of all."""

    def old(asked: Asked) -> None:
        if asked.command != "GET" or asked.stored is None:
            asked.honest()
        else:
            asked.wfile.write(b"HTTP/1.0 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n" + asked.stored)
        asked.close_connection = True

    server.twist = old
    site = WebSite(tmp_path / "second", server)
    done = site.run()
    assert done.how == "restored"
    assert_right_and_clean(site, done)


def test_token_that_runs_out_during_a_run_is_told_once_and_costs_nothing_else(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str]
) -> None:
    def expired(asked: Asked) -> None:
        asked.say(401, b"expired: " + asked.headers["Authorization"].encode())

    site = WebSite(tmp_path / "second", server)
    assert site.runner.run(site.action()).how == "restored"
    server.twist = expired
    before = len(server.asked)
    for number in range(6):
        assert site.runner.run(site.action(f"{SCRIPT} {number}")).how == "ran"
    site.shared.close()
    later = [(verb, kind) for verb, kind, _ in server.asked[before:]]
    assert later.count(("GET", "ac")) == 3 and ("PUT", "ac") not in later
    said = capsys.readouterr().err
    assert said.count("WARNING") == 1 and "refuses (401)" in said and TOKEN not in said


def test_storm_of_errors_loses_nothing_but_time(tmp_path: Path, server: Liar) -> None:
    """Each second answer is a failure: what comes through is right, and the rest is made here."""
    count = itertools.count()

    def storm(asked: Asked) -> None:
        number = next(count)
        asked.say((500, 502, 503, 504)[number % 4], b"") if number % 2 else asked.honest()

    server.twist = storm
    site = WebSite(tmp_path / "second", server)
    for number in range(12):
        done = site.runner.run(site.action(f"{SCRIPT} {number}"))
        assert shown(done, site.root) == {"HTTPLog": b"harbour", "berth": b"class end\n"}
    site.shared.close()
    server.twist = Asked.honest
    for number in range(12):
        other = WebSite(tmp_path / f"other{number}", server)
        done = other.run(f"{SCRIPT} {number}")
        assert_right_and_clean(other, done)


def test_blob_that_is_there_by_name_only_is_sent_again(tmp_path: Path, server: Liar) -> None:
    """It answers HEAD with yes and GET with no: the result is a miss, and is whole again for the next one."""
    lost = {name for kind, name in server.stored if kind == "cas"}

    def twist(asked: Asked) -> None:
        if asked.command == "PUT":
            lost.discard(asked.name)
        if asked.command == "GET" and asked.kind == "cas" and asked.name in lost:
            asked.say(404, b"")
        else:
            asked.honest()

    server.twist = twist
    for number, how in enumerate(("ran", "restored")):
        site = WebSite(tmp_path / str(number), server)
        done = site.run()
        assert done.how == how
        assert_right_and_clean(site, done)


def test_failed_write_harms_nobody_and_is_told_once(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str]
) -> None:
    server.stored.clear()
    server.twist = lambda asked: asked.say(403, b"") if asked.command == "PUT" else asked.honest()
    site = WebSite(tmp_path / "second", server)
    assert_right_and_clean(site, site.run())
    assert capsys.readouterr().err.count("WARNING") == 1 and not server.stored


def test_person_who_interrupts_does_not_wait_for_a_server_that_hangs(tmp_path: Path, server: Liar) -> None:
    server.stored.clear()
    others = set(threading.enumerate())  # some wait for more work as long as the process lives
    asked_now, answered = threading.Event(), threading.Event()

    def hang(asked: Asked) -> None:
        if asked.command == "GET":
            asked.honest()
            return
        asked_now.set()
        asked.server.ended.wait(60)
        answered.set()

    server.twist = hang
    site = WebSite(tmp_path / "second", server, patience=Patience(silence=60))
    site.runner.run(site.action())
    assert asked_now.wait(LONGEST)
    site.shared.close(abandon=True)
    for thread in set(threading.enumerate()) - others:
        if thread.name.startswith("loom-"):
            thread.join(LONGEST)
            assert not thread.is_alive()
    assert not answered.is_set()


def test_breaker_stops_asking(tmp_path: Path, server: Liar) -> None:
    server.twist = lambda asked: asked.say(500, b"")
    site = WebSite(tmp_path / "second", server)
    for number in range(8):
        site.runner.run(site.action(f"{SCRIPT} {number}"))
    site.shared.close()
    assert [verb for verb, kind, _ in server.asked if (verb, kind) == ("GET", "ac")][1:] == ["GET"] * 3


def test_required_cache_that_fails_ends_the_build(tmp_path: Path, server: Liar) -> None:
    server.twist = lambda asked: asked.say(500, b"")
    with pytest.raises(ProjectProblem, match="answers 500, and it is required"):
        WebSite(tmp_path / "second", server, required=True).run()


def test_what_a_lock_pins_is_checked_whoever_fetched_it(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str]
) -> None:
    """A result that is whole and well-formed, but not what was pinned since."""
    seen = []

    def check(out: Path) -> None:
        seen.append((out / "report/berth").read_bytes())
        if len(seen) == 1:
            raise ActionFailed("what was fetched is not what the lock pins")

    site = WebSite(tmp_path / "second", server)
    done = site.runner.run(site.action(), check)
    site.shared.close()
    assert done.how == "ran" and seen == [b"class end\n"] * 2
    assert "is not what the lock pins" in capsys.readouterr().err
    assert_right_and_clean(site, done)
    assert not [*(site.root / "work").iterdir()]


def test_failed_action_is_given_to_nobody(tmp_path: Path, server: Liar) -> None:
    server.stored.clear()
    with pytest.raises(ActionFailed):
        WebSite(tmp_path / "second", server).run("echo x > /out/report; exit 3")
    assert not server.stored
