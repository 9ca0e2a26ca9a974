"""Messages of the Remote Execution API (v2) and of ByteStream, as far as a store of blobs and results needs them.

In: digests, keys, bytes. Out: requests as bytes, and what answers say. Never: a network.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loom.base import Digest
from loom.build.remote.protocol.wire import (
    WireError,
    as_bytes,
    decode_digest,
    encode_digest,
    fields,
    head,
    message,
    number,
    sized,
)
from loom.build.store.atomic import Readable

API = "build.bazel.remote.execution.v2"
_SHA256 = 1
_PIECE = 512 << 10
# The length of a response, of its digest, the digest, and the length of its bytes, which is what the digest says.
_USUAL_BLOB = re.compile(
    rb"\n([\x80-\xff]{0,3}[\x00-\x7f])\n([\x00-\x7f])\n@([0-9a-f]{64})\x10([\x80-\xff]{0,3}[\x00-\x7f])\x12\4"
)
_WELL = (b"", b"\x1a\x00")

GET_CAPABILITIES = f"/{API}.Capabilities/GetCapabilities"
GET_RESULT = f"/{API}.ActionCache/GetActionResult"
UPDATE_RESULT = f"/{API}.ActionCache/UpdateActionResult"
FIND_MISSING = f"/{API}.ContentAddressableStorage/FindMissingBlobs"
BATCH_READ = f"/{API}.ContentAddressableStorage/BatchReadBlobs"
BATCH_UPDATE = f"/{API}.ContentAddressableStorage/BatchUpdateBlobs"
READ = "/google.bytestream.ByteStream/Read"
WRITE = "/google.bytestream.ByteStream/Write"


class Instance(NamedTuple):
    """A part of a server; the empty name is its default."""

    name: str

    def capabilities(self) -> bytes:
        return self.named()

    def get_result(self, action: Digest, inline: str) -> bytes:
        """`inline` is the file whose bytes are to be sent along, which saves a question where a server does that."""
        return self.named() + message(2, encode_digest(action)) + message(5, inline.encode())

    def update_result(self, action: Digest, result: bytes) -> bytes:
        return self.named() + message(2, encode_digest(action)) + message(3, result)

    def find_missing(self, digests: Iterable[Digest]) -> bytes:
        return self.named() + b"".join(message(2, encode_digest(digest)) for digest in digests)

    def batch_read(self, digests: Iterable[Digest]) -> bytes:
        """The fields are numbered as those of `find_missing`."""
        return self.find_missing(digests)

    def batch_update(self, blobs: Iterable[tuple[Digest, bytes]]) -> bytes:
        parts = [self.named()]
        for digest, data in blobs:
            named = message(1, encode_digest(digest)) + head(2, len(data))
            parts += [head(2, len(named) + len(data)), named, data]
        return b"".join(parts)

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

    def named(self) -> bytes:
        return message(1, self.name.encode()) if self.name else b""

    def _resource(self, path: str) -> bytes:
        return f"{self.name}/{path}".lstrip("/").encode()


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


def read_blobs(answer: bytes) -> list[tuple[Digest, int, bytes]]:
    """Of a BatchReadBlobsResponse: what each blob is, the code of its status, and its bytes."""
    return _usual_blobs(answer) or [_blob(dict(fields(one))) for one in _responses(answer)]


def _usual_blobs(answer: bytes) -> list[tuple[Digest, int, bytes]]:
    """As servers write those that are well, of thousands each looked at once; nothing when one is written otherwise."""
    found: list[tuple[Digest, int, bytes]] = []
    place = 0
    while usual := _USUAL_BLOB.match(answer, place):
        (said, length), (named, size) = sized(answer, usual.start(1)), sized(answer, usual.start(4))
        begin, place = usual.end(), said + length
        end = begin + size
        if answer[end:place] not in _WELL or place < end or ord(usual[2]) != named - usual.end(2):
            return []
        found.append((Digest(usual[3].decode(), size), 0, answer[begin:end]))
    return found if place == len(answer) else []


def _blob(response: dict[int, int | bytes]) -> tuple[Digest, int, bytes]:
    return _digest(response), _code(response.get(3, b"")), as_bytes(response.get(2, b""))


def updated(answer: bytes) -> list[tuple[Digest, int]]:
    """Of a BatchUpdateBlobsResponse."""
    found = [dict(fields(one)) for one in _responses(answer)]
    return [(_digest(one), _code(one.get(2, b""))) for one in found]


def _responses(answer: bytes) -> list[bytes]:
    return [as_bytes(value) for field, value in fields(answer) if field == 1]


def _digest(response: dict[int, int | bytes]) -> Digest:
    return decode_digest(as_bytes(response.get(1, b"")))


def _code(status: int | bytes) -> int:
    """Of a google.rpc.Status; an absent one says that all is well."""
    code = dict(fields(as_bytes(status))).get(1, 0) if status else 0
    if not isinstance(code, int):
        raise WireError("holds bytes where a number must be")
    return code


class Abilities(NamedTuple):
    """What a server says of itself; 0 stands for no limit."""

    sha256: bool
    updates: bool
    batch: int
    """Bytes of the blobs in one message."""
    largest: int
    """Bytes of one blob."""
    executes: bool = False
    """Whether it runs actions."""


def abilities(answer: bytes) -> Abilities:
    """Of ServerCapabilities."""
    cache = list(fields(b"".join(as_bytes(value) for field, value in fields(answer) if field == 1)))
    functions = [value for field, value in cache if field == 1]
    sha256 = any(value == _SHA256 or (isinstance(value, bytes) and _SHA256 in value) for value in functions)
    updates = dict(fields(b"".join(as_bytes(value) for field, value in cache if field == 2))).get(1, 0)
    execution = dict(fields(b"".join(as_bytes(value) for field, value in fields(answer) if field == 2)))
    return Abilities(sha256, updates == 1, _limit(cache, 4), _limit(cache, 8), execution.get(2, 0) == 1)


def _limit(message: Sequence[tuple[int, int | bytes]], field: int) -> int:
    """A negative number is no limit either: it is written as one beyond all others."""
    found = dict(message).get(field, 0)
    return found if isinstance(found, int) and found < 1 << 63 else 0
