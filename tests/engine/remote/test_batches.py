"""Blobs and questions travel in groups: within every limit, on few threads, and each at most once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.remote.cache import RemoteCache
from loom.build.remote.credentials import Credentials
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.places.http import HttpTransport
from loom.build.remote.places.loads import by_size
from loom.build.remote.places.transport import RemoteAbsent, Transport
from loom.build.remote.protocol import reapi
from loom.build.remote.protocol.entry import Needed, sending
from loom.build.remote.protocol.naming import action_of
from loom.build.store.atomic import Json
from loom.build.store.content import ContentStore
from loom.build.store.entries import digest, number, rows, text
from loom.build.store.results import ResultStore
from tests.engine.remote.buildgrid import buildgrid
from tests.engine.remote.casd import casd
from tests.engine.remote.liar import Asked, liar
from tests.engine.remote.talker import Context, Talker, talker

Engine = Callable[[Path], AbstractContextManager[str]]
LARGEST_MESSAGE = 4 << 20


class Harbour:
    """One machine with results of any number of files."""

    def __init__(self, root: Path, transport: Transport, *, required: bool = False) -> None:
        self.content, self.results = ContentStore(root), ResultStore(root)
        self.cache = RemoteCache(transport, self.content, self.results, required=required, uploads=True)

    def made(self, name: str, files: list[bytes]) -> str:
        """The key of a result of an action that left `files`."""
        preimage = self.content.put(name.encode())
        empty = self.content.put(b"")
        kept = [self.content.put(data) for data in files]
        outputs: list[Json] = [
            {"path": f"report/{place}", "sha256": sha256, "size": size, "exec": False}
            for place, (sha256, size) in enumerate(kept)
        ]
        texts: dict[str, Json] = {"stdout": list(empty), "stderr": list(empty), "preimage": list(preimage)}
        self.results.write(preimage.sha256, {"exit": 0, "outputs": outputs, "trees": [], **texts, "meta": {}})
        return preimage.sha256

    def has(self, key: str, files: list[bytes]) -> bool:
        return self.results.has(key) and all(self.content.get(Digest.of(data)) == data for data in files)


def named(key: str, entry: dict[str, Json]) -> Needed:
    """Whatever it names is what was declared."""
    files = [Digest(text(row, "sha256"), number(row, "size")) for row in rows(entry, "outputs")]
    return Needed((*files, digest(entry, "preimage"), digest(entry, "stdout")))


def files(number: int, size: int, seed: str = "HTTPLog") -> list[bytes]:
    return [(f"{seed} {count} ".encode() * (size // 8 + 1))[:size] for count in range(number)]


@pytest.fixture
def server() -> Iterator[Talker]:
    with talker() as server:
        yield server


def harbour(root: Path, server: Talker, *, required: bool = False) -> Harbour:
    return Harbour(root, GrpcTransport(server.address, "", None), required=required)


def test_groups_keep_to_their_limit_and_to_the_order() -> None:
    sizes = [0, 1, 1000, 5000, 90, 90, 90, 4000, 7000]
    digests = [Digest(f"{place:064x}", size) for place, size in enumerate(sizes)]
    groups = list(by_size(digests, 5000))
    assert [digest for group in groups for digest in group] == digests
    assert [[digest.size for digest in group] for group in groups] == [[0, 1, 1000], [5000], [90, 90, 90, 4000], [7000]]


@pytest.mark.parametrize(("batch", "most"), [(0, 1_000_000), (150_000, 150_000), (64 << 20, 1_000_000)])
def test_no_message_is_larger_than_announced_or_than_any_server_takes(
    tmp_path: Path, server: Talker, batch: int, most: int
) -> None:
    server.batch = batch
    wanted = [*files(900, 20_000), *files(3, 5_000_000, "class end")]
    first, second = harbour(tmp_path / "one", server), harbour(tmp_path / "two", server)
    key = first.made("berth", wanted)
    first.cache.push(key)
    first.cache.close()
    assert second.cache.fetch(key, named) and second.has(key, wanted)
    second.cache.close()
    batches = [size for method, size in server.asked if method == reapi.BATCH_UPDATE]
    assert max(batches) <= most and sum(batches) > 18_000_000 and len(batches) * most / 2 < sum(batches)
    assert max(size for _, size in server.asked) < LARGEST_MESSAGE
    assert server.count(reapi.READ) == 3


def test_what_is_known_is_not_asked_again(tmp_path: Path, server: Talker) -> None:
    """Ten results of the same files: one question about those, then one about each result's own."""
    first = harbour(tmp_path / "one", server, required=True)
    shared = files(500, 100)
    keys = [first.made(f"berth {number}", [*shared, b"%d" % number]) for number in range(10)]
    for key in keys:
        first.cache.push(key)
    questions = [size for method, size in server.asked if method == reapi.FIND_MISSING]
    assert len(questions) == 10 and max(questions[1:]) < 500 < 30_000 < questions[0]
    assert server.count(reapi.GET_CAPABILITIES) == 1
    first.cache.push(keys[0])
    assert server.count(reapi.FIND_MISSING) == 10
    sent = server.count(reapi.BATCH_UPDATE)
    second = harbour(tmp_path / "two", server, required=True)
    assert all(second.cache.fetch(key, named) for key in keys)
    second.cache.push(keys[0])  # what was taken from there is there
    assert server.count(reapi.BATCH_UPDATE) == sent


def test_results_that_wait_are_given_together(tmp_path: Path, server: Talker) -> None:
    """While the first are on their way, the others gather: far fewer questions than results."""
    gate = threading.Event()

    def hold(method: str, request: bytes, context: Context) -> None:
        if method == reapi.FIND_MISSING:
            gate.wait(20)

    server.twist = hold
    first = harbour(tmp_path / "one", server)
    keys = [first.made(f"berth {number}", [b"tide %d" % number]) for number in range(60)]
    for key in keys:
        first.cache.push(key)
    gate.set()
    first.cache.close()
    assert set(server.results) == {action_of(key).sha256 for key in keys} and server.count(reapi.FIND_MISSING) <= 10


def test_few_are_asked_at_once(tmp_path: Path, server: Talker) -> None:
    server.batch = 2_000
    server.twist = lambda *_: time.sleep(0.005)
    wanted = files(400, 500)
    first, second = harbour(tmp_path / "one", server), harbour(tmp_path / "two", server)
    key = first.made("berth", wanted)
    first.cache.push(key)
    first.cache.close()
    assert second.cache.fetch(key, named)
    second.cache.close()
    assert server.count(reapi.BATCH_UPDATE) > 100 and 1 < server.busiest <= 8


def test_over_http_connections_are_few_and_stay_open(tmp_path: Path) -> None:
    with liar() as server:
        doors: set[object] = set()

        def note(asked: Asked) -> None:
            doors.add(asked.client_address)
            asked.honest()

        server.twist = note
        machines = [Harbour(tmp_path / name, HttpTransport(server.address, Credentials())) for name in ("one", "two")]
        first, second = machines
        wanted = files(300, 500)
        key = first.made("berth", wanted)
        first.cache.push(key)
        first.cache.close()
        giving = len(doors)
        assert second.cache.fetch(key, named) and second.has(key, wanted)
        second.cache.close()
        assert 1 < giving <= 9 and 1 < len(doors) - giving <= 9 and len(server.asked) > 900


@pytest.mark.parametrize("engine", [casd, buildgrid])
def test_result_of_an_action_is_shared(tmp_path: Path, engine: Engine) -> None:
    """Its key is the digest of one of its blobs, its preimage."""
    wanted = files(3, 100)
    with engine(tmp_path / "engine") as address:
        one, two = (Harbour(tmp_path / name, GrpcTransport(address, "", None), required=True) for name in ("1", "2"))
        key = one.made("berth", wanted)
        one.cache.push(key)
        assert two.cache.fetch(key, named) and two.has(key, wanted)


def test_result_of_many_files_is_shared(tmp_path: Path) -> None:
    """Its files are those of a folder: listed in the result, they would soon make a message that no server takes."""
    wanted = [b"%d" % number for number in range(3_000)]
    with casd(tmp_path / "engine") as address:
        one, two = (Harbour(tmp_path / name, GrpcTransport(address, "", None), required=True) for name in ("1", "2"))
        key = one.made("berth", wanted)
        one.cache.push(key)
        assert two.cache.fetch(key, named) and two.has(key, wanted)
    entry = two.results.read(key)
    assert entry is not None
    outputs: list[Json] = [
        {"path": f"report/{number}", "sha256": f"{number:064x}", "size": number, "exec": False}
        for number in range(60_000)
    ]
    assert len(sending({**entry, "outputs": outputs}).result) < 1_000


def test_server_that_checks_what_a_result_names_misses_a_result_of_many_files_when_one_is_gone(tmp_path: Path) -> None:
    """So it keeps all of them as long as the result."""
    wanted = [b"%d" % number for number in range(2_100)]
    with buildgrid(tmp_path / "engine") as address:
        one, two = (Harbour(tmp_path / name, GrpcTransport(address, "", None), required=True) for name in ("1", "2"))
        key = one.made("berth", wanted)
        one.cache.push(key)
        gone = Digest.of(wanted[1_000]).sha256
        (place,) = [path for path in (tmp_path / "engine/cas").rglob("*") if path.is_file() and gone[3:] in path.name]
        assert two.cache.fetch(key, named)
        place.unlink()
        with pytest.raises(RemoteAbsent):
            GrpcTransport(address, "", None).result(action_of(key))


@pytest.mark.parametrize("kind", ["announced", "told"])
def test_what_is_too_large_for_the_place_stays_here_and_the_rest_is_given(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """No failure: three of them would end all giving."""
    with liar() as web:
        web.twist = lambda asked: asked.say(413, b"") if len(asked.sent) > 10_000 else asked.honest()
        server.largest = 10_000
        there: dict[str, Transport] = {
            "announced": GrpcTransport(server.address, "", None),
            "told": HttpTransport(web.address, Credentials()),
        }
        machine = Harbour(tmp_path / "one", there[kind])
        large = [machine.made(f"large {number}", [b"~" * (20_000 + number)]) for number in range(5)]
        small = machine.made("small", [b"tide"])
        for key in [*large, small]:
            machine.cache.push(key)
        machine.cache.close()
        given = set(server.results) | {name for folder, name in web.stored if folder == "ac"}
    assert given == {action_of(small).sha256}
    said = capsys.readouterr().err
    assert said.count("WARNING") == 1 and "does not take results as large as that of" in said
