"""Messages of the Remote Execution API (v2) and of ByteStream, as far as a cache needs them.

In: digests, keys, bytes. Out: requests as bytes, and what answers say. Never: a network.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import NamedTuple

from loom.base import Digest
from loom.build.remote.wire import WireError, as_bytes, decode_digest, encode_digest, fields, message, number
from loom.build.store.atomic import Readable

API = "build.bazel.remote.execution.v2"
_SHA256 = 1
_PIECE = 512 << 10


GET_CAPABILITIES = f"/{API}.Capabilities/GetCapabilities"
GET_RESULT = f"/{API}.ActionCache/GetActionResult"
UPDATE_RESULT = f"/{API}.ActionCache/UpdateActionResult"
FIND_MISSING = f"/{API}.ContentAddressableStorage/FindMissingBlobs"
READ = "/google.bytestream.ByteStream/Read"
WRITE = "/google.bytestream.ByteStream/Write"


class Instance(NamedTuple):
    """A part of a server; the empty name is its default."""

    name: str

    def capabilities(self) -> bytes:
        return self._named()

    def get_result(self, key: str) -> bytes:
        return self._named() + message(2, _action(key))

    def update_result(self, key: str, result: bytes) -> bytes:
        return self._named() + message(2, _action(key)) + message(3, result)

    def find_missing(self, digest: Digest) -> bytes:
        return self._named() + message(2, encode_digest(digest))

    def read(self, digest: Digest) -> bytes:
        return message(1, self._resource(f"blobs/{digest.sha256}/{digest.size}"))

    def write(self, digest: Digest, stream: Readable) -> Iterator[bytes]:
        """The name goes with the first piece, and the last one says that it is the last."""
        name = self._resource(f"uploads/{uuid.uuid4()}/blobs/{digest.sha256}/{digest.size}")
        head, sent = message(1, name), 0
        while True:
            piece = stream.read(_PIECE)
            last = sent + len(piece) >= digest.size or not piece
            yield head + number(2, sent) + number(3, int(last)) + message(10, piece)
            if last:
                return
            head, sent = b"", sent + len(piece)

    def _named(self) -> bytes:
        return message(1, self.name.encode()) if self.name else b""

    def _resource(self, path: str) -> bytes:
        return f"{self.name}/{path}".lstrip("/").encode()


def _action(key: str) -> bytes:
    """Our keys stand for actions that no server has seen; the size is only looked at by those that have one."""
    return encode_digest(Digest(key, 1))


def missing(answer: bytes) -> list[Digest]:
    return [decode_digest(as_bytes(value)) for field, value in fields(answer) if field == 2]


def piece(answer: bytes) -> bytes:
    """Of a ReadResponse."""
    return b"".join(as_bytes(value) for field, value in fields(answer) if field == 10)


def committed(answer: bytes) -> int:
    """How much of a written blob the server has."""
    found = dict(fields(answer)).get(1, 0)
    if not isinstance(found, int):
        raise WireError("holds bytes where a number must be")
    return found


def speaks_sha256(answer: bytes) -> bool:
    cache = b"".join(as_bytes(value) for field, value in fields(answer) if field == 1)
    functions = [value for field, value in fields(cache) if field == 1]
    return any(value == _SHA256 or (isinstance(value, bytes) and _SHA256 in value) for value in functions)
