"""A cache that speaks the Remote Execution API, by buildbox-casd or BuildGrid, is as good as one that speaks HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.places.transport import Patience, RemoteAbsent, RemoteFailed
from loom.build.remote.protocol.naming import action_of
from loom.build.store.atomic import Readable
from tests.engine.remote.buildgrid import bgd, buildgrid
from tests.engine.remote.casd import PACKAGE, casd
from tests.engine.remote.doors import GUARD, TOKEN, let_in, papers_signed, tls_of
from tests.engine.remote.liar import liar
from tests.engine.remote.nginx import front
from tests.engine.remote.two_machines import Machine
from tests.kit.ports import free_port

ENGINES = {"casd": casd, "buildgrid": buildgrid}


@pytest.fixture(params=ENGINES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Of a real server."""
    with ENGINES[request.param](tmp_path / "engine") as address:
        yield address


@pytest.fixture(scope="module", params=ENGINES)
def lasting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same, for tests whose blobs are all their own."""
    with ENGINES[request.param](tmp_path_factory.mktemp("lasting") / "engine") as address:
        yield address


@pytest.fixture
def transport(lasting: str) -> Iterator[GrpcTransport]:
    transport = GrpcTransport(lasting, "", None)
    yield transport
    transport.close()


def given(transport: GrpcTransport, blobs: Mapping[Digest, bytes]) -> None:
    for load in transport.loads(blobs):
        transport.give([(digest, blobs[digest]) for digest in load])


def taken(transport: GrpcTransport, blobs: Iterable[Digest]) -> dict[Digest, bytes]:
    found = {}
    for load in transport.loads(blobs):
        for digest, source in transport.take(load):
            found[digest] = source if isinstance(source, bytes) else read(source)
    return found


def read(stream: Readable) -> bytes:
    return b"".join(iter(lambda: stream.read(100_000), b""))


def many(number: int, size: int, seed: str) -> dict[Digest, bytes]:
    """Blobs of about that size, all different."""
    found = [(f"{seed} {count} ".encode() * (size // 8 + 1))[: size + count % 7] for count in range(number)]
    return {Digest.of(data): data for data in found}


def kinds(machine: Machine) -> set[str]:
    done = machine.doit()
    assert "WARNING" not in done.text, done.text
    return set(done.marks.values())


def test_second_machine_compiles_and_emits_nothing(tmp_path: Path, address: str) -> None:
    first, second = Machine(tmp_path / "one", address), Machine(tmp_path / "two", address)
    assert kinds(first) == {"ran"}
    assert kinds(second) == {"restored"}
    assert second.output() == first.output()


@pytest.mark.parametrize("size", [1, 1000, 3 << 20, (9 << 20) + 7])
def test_blobs_of_any_size_come_back(tmp_path: Path, transport: GrpcTransport, size: int) -> None:
    data = (b"tide" * (size // 4 + 1))[:size]
    digest = Digest.of(data)
    place = tmp_path / "blob"
    place.write_bytes(data)
    assert transport.lacking((digest,)) == {digest}
    transport.give([(digest, str(place))])
    transport.give([(digest, data)])  # somebody else was first
    assert transport.lacking((digest,)) == set()
    assert taken(transport, [digest]) == {digest: data}


def test_many_blobs_travel_in_few_messages(transport: GrpcTransport) -> None:
    """24 MiB: a server would refuse them in one message, and any message past 4 MiB."""
    blobs = {**many(2000, 10_000, "HTTPLog"), **many(3, 1_900_000, "class end")}
    assert len(list(transport.loads(blobs))) < len(blobs) / 30
    given(transport, blobs)
    strange = Digest.of(b"nobody has this")
    (question,) = transport.questions([*blobs, strange])
    assert transport.lacking(question) == {strange}
    assert taken(transport, blobs) == blobs


def test_what_is_not_there_is_absent(transport: GrpcTransport) -> None:
    with pytest.raises(RemoteAbsent):
        transport.result(Digest("a" * 64, 66))
    for load in ((Digest("b" * 64, 5),), (Digest("b" * 64, 5 << 20),), (Digest("b" * 64, 5), Digest("c" * 64, 5))):
        with pytest.raises(RemoteAbsent):
            for _, source in transport.take(load):
                assert not isinstance(source, bytes) and source.read(5)


@pytest.mark.parametrize("size", [4, 5 << 20])
def test_bytes_of_another_digest_are_refused_by_the_server(transport: GrpcTransport, size: int) -> None:
    with pytest.raises(RemoteFailed):
        transport.give([(Digest("c" * 64, size), b"tide" * (size // 4))])


_FOREIGN = """
import sys, types, json, grpc
# The package itself wants much more than its stubs do.
package = sys.modules["buildstream"] = types.ModuleType("buildstream")
package.__path__ = [sys.argv[4] + "/buildstream"]
from buildstream._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as pb
from buildstream._protos.build.bazel.remote.execution.v2 import remote_execution_pb2_grpc as rpc
channel = grpc.insecure_channel(sys.argv[1])
digest = pb.Digest(hash=sys.argv[2], size_bytes=int(sys.argv[3]))
result = rpc.ActionCacheStub(channel).GetActionResult(pb.GetActionResultRequest(action_digest=digest))
cas = rpc.ContentAddressableStorageStub(channel)
wanted = [file.digest for file in result.output_files]
lacking = cas.FindMissingBlobs(pb.FindMissingBlobsRequest(blob_digests=wanted)).missing_blob_digests
(entry,) = [file for file in result.output_files if file.path == ".loom/result.json"]
read = cas.BatchReadBlobs(pb.BatchReadBlobsRequest(digests=[entry.digest])).responses[0].data
print(json.dumps([result.exit_code, len(wanted), len(lacking), json.loads(read)]))
"""


def test_client_that_is_not_ours_reads_the_entries(tmp_path: Path, address: str) -> None:
    """With the stubs that were generated from the API's own definition."""
    machine = Machine(tmp_path / "one", address)
    machine.doit()
    for place in sorted((machine.root / "store" / "ac").iterdir())[:3]:
        words = [address.removeprefix("grpc://"), *map(str, action_of(place.stem)), str(PACKAGE)]
        found = subprocess.run(
            [sys.executable, "-c", _FOREIGN, *words],
            env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        code, named, lacking, entry = json.loads(found.stdout)
        assert (code, lacking) == (0, 0) and named >= 2 and entry == json.loads(place.read_text())


def test_the_client_of_another_engine_reads_the_entries(tmp_path: Path) -> None:
    """`bgd`, as a person uses it: the result, then the file that it names."""
    with buildgrid(tmp_path / "engine") as address:
        machine = Machine(tmp_path / "one", address)
        machine.doit()
        for place in sorted((machine.root / "store" / "ac").iterdir())[:1]:
            action = action_of(place.stem)
            result = json.loads(bgd(address, "actioncache", "get", "--json", f"{action.sha256}/{action.size}"))
            (entry,) = [file for file in result["outputFiles"] if file["path"] == ".loom/result.json"]
            digest, copy = f"{entry['digest']['hash']}/{entry['digest']['sizeBytes']}", tmp_path / place.stem
            bgd(address, "cas", "download-file", digest, str(copy))
            assert json.loads(copy.read_bytes()) == json.loads(place.read_bytes())


@pytest.mark.parametrize("token", ["TOKEN", "TOKEN_FILE"])
def test_certificates_and_token_open_the_door(tmp_path: Path, address: str, token: str) -> None:
    papers = papers_signed(tmp_path)
    with front(tmp_path / "front", address, certificates=tls_of(papers), guard=GUARD) as door:
        first, second = (let_in(Machine(tmp_path / name, door), papers, token=token) for name in ("one", "two"))
        assert (kinds(first), kinds(second)) == ({"ran"}, {"restored"})
        for missing in ("CA", "CERTIFICATE", token):
            third = let_in(Machine(tmp_path / missing, door), papers, leave_out=missing, token=token)
            done = third.doit()
            assert set(done.marks.values()) == {"ran"} and done.text.count("WARNING") == 1
            assert TOKEN not in done.text


def test_nobody_there_is_one_warning_and_no_harm(tmp_path: Path) -> None:
    done = Machine(tmp_path / "one", f"grpc://127.0.0.1:{free_port()}").doit()
    assert set(done.marks.values()) == {"ran"}
    assert done.text.count("WARNING") == 1 and "cannot be reached; going on without it" in done.text


def test_server_that_speaks_something_else_fails_in_time() -> None:
    with liar() as server:
        transport = GrpcTransport(server.address.replace("http", "grpc"), "", None, Patience(answer=1.0))
        with pytest.raises(RemoteFailed):
            transport.result(Digest("a" * 64, 66))
        transport.close()
