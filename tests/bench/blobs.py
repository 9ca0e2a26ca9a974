"""What Loom adds to gRPC: 20,000 small blobs to a real server and back, as one result, and by a bare loop.

In: nothing. Out: how many times as long as the loop it takes, up and down, the median of rounds by turns.
The loop uses the stubs made from the API's own definition, sends and asks in batches, and writes plain files unchecked.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from loom.base import Digest
from loom.build.remote.cache import RemoteCache
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.protocol.entry import Needed
from loom.build.store.atomic import Json
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from tests.bench.measure import Aim
from tests.engine.remote.casd import PACKAGE, casd

BLOBS = 20_000
# What a disk does with so many files says nothing of either.
MEMORY = Path("/dev/shm")
LOOP = """
import json, os, sys, time, types, grpc
address, place, package = sys.argv[1:]
stubs = sys.modules["buildstream"] = types.ModuleType("buildstream")
stubs.__path__ = [package + "/buildstream"]
from buildstream._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as pb
from buildstream._protos.build.bazel.remote.execution.v2 import remote_execution_pb2_grpc as rpc
cas = rpc.ContentAddressableStorageStub(grpc.insecure_channel(address))
digests = [pb.Digest(hash=sha256, size_bytes=size) for sha256, size in json.load(open(place + "/digests"))]

def batches(wanted):
    batch, size = [], 0
    for digest in wanted:
        if size + digest.size_bytes + 128 > 3_500_000:
            yield batch
            batch, size = [], 0
        batch.append(digest)
        size += digest.size_bytes + 128
    yield batch

begun = time.perf_counter()
missing = cas.FindMissingBlobs(pb.FindMissingBlobsRequest(blob_digests=digests)).missing_blob_digests
for batch in batches(missing):
    request = pb.BatchUpdateBlobsRequest()
    for digest in batch:
        with open(place + "/from/" + digest.hash, "rb") as stream:
            request.requests.add(digest=digest, data=stream.read())
    assert not any(one.status.code for one in cas.BatchUpdateBlobs(request).responses)
up = time.perf_counter()
for batch in batches(digests):
    for one in cas.BatchReadBlobs(pb.BatchReadBlobsRequest(digests=batch)).responses:
        with open(place + "/to/" + one.digest.hash, "wb") as stream:
            stream.write(one.data)
print(up - begun, time.perf_counter() - up)
"""


def blobs(seed: int, number: int) -> Iterator[bytes]:
    """Of up to 4 KB, 42 MB in all."""
    some = random.Random(seed)
    return (some.randbytes(some.randrange(200, 4_000)) for _ in range(number))


def by_loop(address: str, place: Path, seed: int, number: int) -> tuple[float, float]:
    """Seconds up and down."""
    for name in ("from", "to"):
        (place / name).mkdir(parents=True)
    digests = []
    for data in blobs(seed, number):
        digest = Digest.of(data)
        (place / "from" / digest.sha256).write_bytes(data)
        digests.append(digest)
    (place / "digests").write_text(json.dumps(digests))
    argv = [sys.executable, "-c", LOOP, address.removeprefix("grpc://"), str(place), str(PACKAGE)]
    said = subprocess.run(argv, env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, check=True).stdout
    up, down = said.split()
    return float(up), float(down)


def by_loom(address: str, place: Path, seed: int, number: int) -> tuple[float, float]:
    giving, content = _machine(address, place / "from")
    results = ResultStore(content.root)
    files = [content.put(data) for data in blobs(seed, number)]
    empty, preimage = content.put(b""), content.put(b"%d" % seed)
    rows: list[Json] = [
        {"path": f"report/{place}", "sha256": digest.sha256, "size": digest.size, "exec": False}
        for place, digest in enumerate(files)
    ]
    texts: dict[str, Json] = {"stdout": list(empty), "stderr": list(empty), "preimage": list(preimage)}
    results.write(preimage.sha256, {"exit": 0, "outputs": rows, "trees": [], **texts, "meta": {}})
    taking, _ = _machine(address, place / "to")
    begun = time.perf_counter()
    giving.push(preimage.sha256)
    up = time.perf_counter()
    assert taking.fetch(preimage.sha256, lambda key, entry: Needed((*files, preimage)))
    down = time.perf_counter()
    giving.close()
    taking.close()
    return up - begun, down - up


def _machine(address: str, root: Path) -> tuple[RemoteCache, ContentStore]:
    content = ContentStore(root)
    transport = GrpcTransport(address, "", None)
    return RemoteCache(transport, content, ResultStore(root), required=True, uploads=True), content


def ratios(rounds: int = 3, blobs: int = BLOBS) -> tuple[float, float]:
    """Times of Loom to those of the loop, up and down."""
    found = []
    with (
        tempfile.TemporaryDirectory(prefix="loom-blobs-", dir=MEMORY) as folder,
        casd(Path(folder) / "engine") as address,
    ):
        for turn in range(rounds):
            loop = by_loop(address, Path(folder, f"loop{turn}"), 2 * turn, blobs)
            loom = by_loom(address, Path(folder, f"loom{turn}"), 2 * turn + 1, blobs)
            sys.stderr.write(f"loop {loop[0]:.2f} s up, {loop[1]:.2f} s down; loom {loom[0]:.2f}, {loom[1]:.2f}\n")
            found.append((loom[0] / loop[0], loom[1] / loop[1]))
    return median(up for up, _ in found), median(down for _, down in found)


def blob_aims() -> Iterator[Aim]:
    for way, found in zip(("up", "down"), ratios(), strict=True):
        yield Aim(f"{BLOBS:,} small blobs {way}, of a bare loop", f"{found:.2f} times", "1.50 times")


if __name__ == "__main__":
    sys.stdout.writelines(f"{one.measure}: {one.found} (aim: {one.aim})\n" for one in blob_aims())
