"""Whatever a cache answers, a build gives the right result, in time, and keeps nothing of the lies."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.actions.action import Action
from loom.build.actions.cached import ActionFailed, ActionRunner, Done
from loom.build.project.problem import ProjectProblem
from loom.build.remote.cache import RemoteCache
from loom.build.remote.credentials import Credentials
from loom.build.remote.http import HttpTransport
from loom.build.remote.naming import action_of
from loom.build.remote.transport import PATIENCE, Patience
from loom.build.remote.wire import SharedFile, decode_result, encode_result
from loom.build.store.atomic import Json, canonical_json
from loom.build.store.codec import from_bytes
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from loom.build.store.tree import TreeFile
from tests.engine.core.bare import BareWorld, shell
from tests.engine.remote.liar import Asked, Liar, Twist, liar

SCRIPT = "mkdir /out/report; cp /in/model/name /out/report/HTTPLog; echo 'class end' > /out/report/berth; echo said"
# For a server that never ends alone: a busy machine may keep an honest one waiting as long.
HASTY = Patience(connect=5, silence=1.5, answer=3.0, slowest=1 << 20)
TOKEN = "tide-token-5d20"


class Site:
    """One machine: a store and a runner."""

    def __init__(self, root: Path, server: Liar, *, required: bool = False, patience: Patience = PATIENCE) -> None:
        self.root = root / "store"
        content, results = ContentStore(self.root), ResultStore(self.root)
        transport = HttpTransport(server.address, Credentials(TOKEN), patience)
        self.shared = RemoteCache(transport, content, results, required=required, uploads=True)
        self.log = root / "runs.log"
        world = BareWorld(self.log, isolated=True)
        self.runner = ActionRunner(content, results, world, shared=self.shared)

    def action(self, script: str = SCRIPT) -> Action:
        return shell(script, self.root)

    def run(self, script: str = SCRIPT) -> Done:
        try:
            return self.runner.run(self.action(script))
        finally:
            self.shared.close()

    def blobs(self) -> list[Path]:
        return [path for path in (self.root / "cas").rglob("*") if path.is_file()]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Liar]:
    """Warm: an honest machine was here."""
    with liar() as server:
        assert Site(tmp_path / "first", server).run().how == "ran"
        yield server


def _shown(done: Done, root: Path) -> dict[str, bytes]:
    tree = done.result.tree("report")
    return {entry.path: ContentStore(root).get(entry.content) for entry in tree.entries if isinstance(entry, TreeFile)}


def assert_right_and_clean(site: Site, done: Done) -> None:
    assert _shown(done, site.root) == {"HTTPLog": b"harbour", "berth": b"class end\n"}
    for blob in site.blobs():
        assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name
    assert not any((site.root / "tmp").iterdir())


def test_honest_server_is_believed(tmp_path: Path, server: Liar) -> None:
    site = Site(tmp_path / "second", server)
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
    site = Site(tmp_path / "second", server)
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


LIES: dict[str, Callable[[Asked, bytes], None]] = {
    "wrong bytes": lambda asked, data: asked.say(200, b"~" * len(data)),
    "shorter": lambda asked, data: asked.say(200, data[:-1]),
    "longer": lambda asked, data: asked.say(200, data + b"~"),
    "empty": lambda asked, data: asked.say(200, b""),
    "breaks off": lambda asked, data: (asked.say(200, data[:1], length=str(len(data))), _close(asked))[0],
    "hangs": lambda asked, data: None if asked.server.ended.wait(20) else asked.honest(),
    "drips": _drip,
    "drips headers": _drip_header,
    "floods": _flood,
    "no HTTP": _garbage,
    "500": lambda asked, data: asked.say(500, b"<html>oops</html>"),
    "429": lambda asked, data: asked.say(429, b"", Retry_After="3600"),
    "403": lambda asked, data: asked.say(403, b""),
    "gzip": lambda asked, data: asked.say(200, data, Content_Encoding="gzip"),
    "lost": lambda asked, data: asked.say(404, b""),
}


def _close(asked: Asked) -> None:
    asked.close_connection = True


ENDLESS = ("hangs", "drips", "drips headers")


@pytest.mark.parametrize("kind", ["ac", "cas"])
@pytest.mark.parametrize("lie", LIES)
def test_lie_costs_a_run_and_nothing_else(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str], kind: str, lie: str
) -> None:
    server.twist = _on(kind, LIES[lie])
    site = Site(tmp_path / "second", server, patience=HASTY if lie in ENDLESS else PATIENCE)
    done = site.run()
    assert done.how == "ran" and site.log.read_text().count("\n") == 1
    assert_right_and_clean(site, done)
    said = capsys.readouterr().err
    assert said.count("WARNING") == (0 if lie == "lost" else 1), said
    assert TOKEN not in said and "oops" not in said


def test_redirect_is_not_followed_and_tells_nobody_the_token(tmp_path: Path, server: Liar) -> None:
    with liar() as other:
        server.twist = lambda asked: asked.say(302, b"", Location=f"{other.address}/ac/{asked.name}")
        assert Site(tmp_path / "second", server).run().how == "ran"
        assert other.asked == []


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
        site = Site(tmp_path / str(number), server)
        done = site.run()
        assert done.how == how
        assert_right_and_clean(site, done)


def test_failed_write_harms_nobody_and_is_told_once(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str]
) -> None:
    server.stored.clear()
    server.twist = lambda asked: asked.say(403, b"") if asked.command == "PUT" else asked.honest()
    site = Site(tmp_path / "second", server)
    assert_right_and_clean(site, site.run())
    assert capsys.readouterr().err.count("WARNING") == 1 and not server.stored


def test_person_who_interrupts_does_not_wait_for_a_server_that_hangs(tmp_path: Path, server: Liar) -> None:
    server.stored.clear()
    asked_now, answered = threading.Event(), threading.Event()

    def hang(asked: Asked) -> None:
        if asked.command == "GET":
            asked.honest()
            return
        asked_now.set()
        asked.server.ended.wait(60)
        answered.set()

    server.twist = hang
    site = Site(tmp_path / "second", server, patience=Patience(silence=60))
    site.runner.run(site.action())
    assert asked_now.wait(20)
    site.shared.close(abandon=True)
    for thread in threading.enumerate():
        if thread.name.startswith("loom-"):
            thread.join()
    assert not answered.is_set()


def test_breaker_stops_asking(tmp_path: Path, server: Liar) -> None:
    server.twist = lambda asked: asked.say(500, b"")
    site = Site(tmp_path / "second", server)
    for number in range(8):
        site.runner.run(site.action(f"{SCRIPT} {number}"))
    site.shared.close()
    assert [verb for verb, kind, _ in server.asked if (verb, kind) == ("GET", "ac")][1:] == ["GET"] * 3


def test_required_cache_that_fails_ends_the_build(tmp_path: Path, server: Liar) -> None:
    server.twist = lambda asked: asked.say(500, b"")
    with pytest.raises(ProjectProblem, match="answers 500, and it is required"):
        Site(tmp_path / "second", server, required=True).run()


def test_what_a_lock_pins_is_checked_whoever_fetched_it(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str]
) -> None:
    """A result that is whole and well-formed, but not what was pinned since."""
    seen = []

    def check(out: Path) -> None:
        seen.append((out / "report/berth").read_bytes())
        if len(seen) == 1:
            raise ActionFailed("what was fetched is not what the lock pins")

    site = Site(tmp_path / "second", server)
    done = site.runner.run(site.action(), check)
    site.shared.close()
    assert done.how == "ran" and seen == [b"class end\n"] * 2
    assert "is not what the lock pins" in capsys.readouterr().err
    assert_right_and_clean(site, done)
    assert not [*(site.root / "work").iterdir()]


def test_failed_action_is_given_to_nobody(tmp_path: Path, server: Liar) -> None:
    server.stored.clear()
    with pytest.raises(ActionFailed):
        Site(tmp_path / "second", server).run("echo x > /out/report; exit 3")
    assert not server.stored


Entry = dict[str, Json]
FILE = {"path": "report/HTTPLog", "sha256": Digest.of(b"harbour").sha256, "size": 7, "exec": False}


def _with_path(path: str) -> Callable[[Entry], None]:
    def change(entry: Entry) -> None:
        entry["outputs"] = [{**FILE, "path": path}]

    return change


def _with_link(target: str) -> Callable[[Entry], None]:
    def change(entry: Entry) -> None:
        entry["outputs"] = [{"path": "report/link", "link": target}]

    return change


def _set(**fields: Json) -> Callable[[Entry], None]:
    return lambda entry: entry.update(fields)


PATHS = ["../x", "/abs", "report/../../x", "C:/x", "report\\..\\x", "report/a\0b", "", ".", "report/", "other/name"]
CHANGES: dict[str, Callable[[Entry], None]] = {
    **{f"path {path!r}": _with_path(path) for path in PATHS},
    "path twice": lambda entry: entry.update(outputs=[FILE, FILE]),
    "file and folder": lambda entry: entry.update(outputs=[FILE, {**FILE, "path": "report/HTTPLog/x"}]),
    "link out": _with_link("../../../etc/passwd"),
    "link to /": _with_link("/etc/passwd"),
    "link through a name": _with_link("x/../../y"),
    "no outputs": _set(outputs=[]),
    "no trees": _set(trees=[]),
    "other tree": _set(trees=[{"name": "report", "sha256": "0" * 64, "size": 3}]),
    "tree of another name": _set(trees=[{"name": "secrets", "sha256": "0" * 64, "size": 3}]),
    "other key": _set(key="f" * 64),
    "failed": _set(exit=1),
    "other preimage": _set(preimage=["0" * 64, 3]),
    "huge": lambda entry: entry.update(outputs=[{**FILE, "size": 1 << 50}]),
    "negative": lambda entry: entry.update(outputs=[{**FILE, "size": -1}]),
    "digest that is a path": lambda entry: entry.update(outputs=[{**FILE, "sha256": "../../../../etc/passwd"}]),
    "stdout that is a path": _set(stdout=["../../../../etc/passwd", 10]),
    "no digest": _set(stdout=None),
    "other schema": _set(schema="loom.result/99"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_result_that_cannot_be_is_refused(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    for kind, name in [name for name in server.stored if name[0] == "ac"]:
        own, *files = decode_result(server.stored[kind, name])
        entry = json.loads(own.contents)
        CHANGES[change](entry)
        data = canonical_json(entry)
        server.stored[kind, name] = encode_result([SharedFile(own.path, Digest.of(data), data), *files])
    site = Site(tmp_path / "second", server)
    done = site.run()
    assert done.how == "ran"
    assert_right_and_clean(site, done)
    assert "gave a wrong result" in capsys.readouterr().err
    assert Site(tmp_path / "third", server).run().how == "restored"  # what was wrong has been replaced


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"\x12\xff\xff\xff\xff\x0f", encode_result([]), b"{}" * 100])
def test_answer_that_is_no_result_is_refused(tmp_path: Path, server: Liar, data: bytes) -> None:
    for name in [name for name in server.stored if name[0] == "ac"]:
        server.stored[name] = data
    site = Site(tmp_path / "second", server)
    assert_right_and_clean(site, site.run())


def test_result_of_another_key_is_refused(tmp_path: Path, server: Liar) -> None:
    """Replayed as it is, under the key of an action that does something else."""
    (stolen,) = [data for (kind, _), data in server.stored.items() if kind == "ac"]
    site = Site(tmp_path / "second", server)
    other = "mkdir /out/report; echo other > /out/report/berth"
    server.stored["ac", action_of(site.runner.key(site.action(other))).sha256] = stolen
    assert _shown(site.run(other), site.root) == {"berth": b"other\n"}


@pytest.mark.parametrize("name", ["os:system", "subprocess:Popen", "builtins:eval", "pathlib:Path"])
def test_values_from_elsewhere_make_nodes_and_nothing_else(tmp_path: Path, name: str) -> None:
    touched = tmp_path / "touched"
    data = b"loom.node/1 " + json.dumps([[name], [0, f"touch {touched}"]]).encode()
    with pytest.raises(ValueError, match="is no node"):
        from_bytes(data)
    assert not touched.exists()
