"""The message ActionResult of the Remote Execution API (v2), written and read by hand: it is all we need of it.

In: files by path and digest. Out: its protobuf bytes, and the files again.
Never: trust: a message that is not exactly understood is a WireError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loom.base import Digest

_OUTPUT_FILES, _OUTPUT_DIRECTORIES, _EXIT_CODE = 2, 3, 4
_PATH, _DIGEST, _TREE_DIGEST, _CONTENTS = 1, 2, 3, 5
_TREE_ROOT, _FILES, _NAME = 1, 1, 1
_HASH, _SIZE = 1, 2
_VARINT, _BYTES = 0, 2
_LARGEST = 1 << 63
_USUAL_DIGEST = re.compile(rb"\n@([0-9a-f]{64})\x10[\x00-\xff]{1,10}")
_SHA256_HEAD = b"\n@"  # the field _HASH, of 64 characters
_SMALL = tuple(bytes([value]) for value in range(0x80))
_SHA256 = re.compile("[0-9a-f]{64}")


class WireError(Exception):
    """These bytes are no such message."""


class SharedFile(NamedTuple):
    """A file of a result; `contents` are its bytes where they are sent along."""

    path: str
    digest: Digest
    contents: bytes = b""


def encode_result(files: Iterable[SharedFile]) -> bytes:
    """Of an action that succeeded."""
    return b"".join(message(_OUTPUT_FILES, _encode_file(file)) for file in files)


def encode_tree(files: Iterable[SharedFile]) -> bytes:
    """The message Tree of one folder; its files in the order of their names."""
    nodes = (message(_NAME, file.path.encode()) + message(_DIGEST, encode_digest(file.digest)) for file in files)
    return message(_TREE_ROOT, b"".join(message(_FILES, node) for node in nodes))


def encode_folder(path: str, tree: Digest) -> bytes:
    """A folder of a result, as a field to put behind `encode_result`."""
    return message(_OUTPUT_DIRECTORIES, message(_PATH, path.encode()) + message(_TREE_DIGEST, encode_digest(tree)))


def decode_result(data: bytes) -> list[SharedFile]:
    """WireError for anything else, a failed action included."""
    files: list[SharedFile] = []
    for number, value in fields(data):
        if number == _OUTPUT_FILES:
            files.append(_decode_file(as_bytes(value)))
        elif number == _EXIT_CODE and value != 0:
            raise WireError("is of an action that failed")
    return files


def encode_digest(digest: Digest) -> bytes:
    return _SHA256_HEAD + digest.sha256.encode() + number(_SIZE, digest.size)


def decode_digest(data: bytes) -> Digest:
    # As all servers write it: of thousands in one answer, each is read once.
    if usual := _USUAL_DIGEST.fullmatch(data):
        announced, end = _varint(data, 67)
        if end == len(data) and announced < _LARGEST:
            return Digest(usual[1].decode(), announced)
    found = dict(fields(data))
    sha256, size = as_text(found.get(_HASH, b"")), found.get(_SIZE, 0)
    if not is_sha256(sha256) or not isinstance(size, int) or size >= _LARGEST:
        raise WireError("holds a digest that is none")
    return Digest(sha256, size)


def is_sha256(text: str) -> bool:
    return _SHA256.fullmatch(text) is not None


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of each field, unknown ones too."""
    place, end = 0, len(data)
    while place < end:
        tag, place = _varint(data, place)
        kind = tag & 7
        if kind == _BYTES:
            size, place = _varint(data, place)
        elif kind == _VARINT:
            value, place = _varint(data, place)
            yield tag >> 3, value
            continue
        else:
            size = _fixed(kind)
        if place + size > end:
            raise WireError("ends too early")
        yield tag >> 3, data[place : place + size]
        place += size


def sized(data: bytes, place: int) -> tuple[int, int]:
    """Where the bytes of a field begin whose size stands at `place`, and how many there are."""
    size, begin = _varint(data, place)
    return begin, size


def _fixed(kind: int) -> int:
    match kind:
        case 1:
            return 8
        case 5:
            return 4
        case _:
            raise WireError("is no message")


def _varint(data: bytes, place: int) -> tuple[int, int]:
    try:
        # Nearly all of them have one byte or two.
        byte = data[place]
        if byte < 0x80:
            return byte, place + 1
        second = data[place + 1]
        if second < 0x80:
            return byte & 0x7F | second << 7, place + 2
        return _long_varint(data, place)
    except IndexError:
        raise WireError("ends too early") from None


def _long_varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for count, shift in enumerate(range(0, 64, 7), start=place):
        byte = data[count]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, count + 1
    raise WireError("holds a number without end")


def _encode_file(file: SharedFile) -> bytes:
    data = message(_PATH, file.path.encode()) + message(_DIGEST, encode_digest(file.digest))
    return data + (message(_CONTENTS, file.contents) if file.contents else b"")


def _decode_file(data: bytes) -> SharedFile:
    found = dict(fields(data))
    digest = decode_digest(as_bytes(found.get(_DIGEST, b"")))
    return SharedFile(as_text(found.get(_PATH, b"")), digest, as_bytes(found.get(_CONTENTS, b"")))


def as_bytes(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise WireError("holds a number where bytes must be")
    return value


def as_text(value: int | bytes) -> str:
    try:
        return as_bytes(value).decode()
    except UnicodeDecodeError:
        raise WireError("holds text that is not UTF-8") from None


def message(number: int, data: bytes) -> bytes:
    """A field of bytes, text or a message; an empty one too."""
    return head(number, len(data)) + data


def head(number: int, size: int) -> bytes:
    """What stands before the bytes of such a field."""
    return _encode_varint(number << 3 | _BYTES) + _encode_varint(size)


def number(field: int, value: int) -> bytes:
    """A field that is a number; 0 is what its absence means."""
    return _encode_varint(field << 3) + _encode_varint(value) if value else b""


def _encode_varint(value: int) -> bytes:
    if value <= 0x7F:
        return _SMALL[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
