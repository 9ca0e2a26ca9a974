"""Messages of the Remote Execution API (v2) that have an action run: what is to run, and what is said of it.

In: digests, words. Out: requests as bytes, and what answers say. Never: a network, or trust in an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loom.base import Digest
from loom.build.remote.protocol.reapi import API
from loom.build.remote.protocol.wire import (
    WireError,
    as_bytes,
    as_text,
    decode_digest,
    encode_digest,
    fields,
    message,
    number,
)

EXECUTE = f"/{API}.Execution/Execute"
WAIT = f"/{API}.Execution/WaitExecution"
CANCEL = "/google.longrunning.Operations/CancelOperation"


def encode_command(argv: Iterable[str], outputs: Iterable[str], platform: Mapping[str, str]) -> bytes:
    """A Command without an environment; `outputs`, files or folders, are relative to the input root."""
    words = b"".join(message(1, word.encode()) for word in argv)
    # Servers of the first edition read the platform here, the others in the action.
    words += message(5, encode_platform(platform))
    return words + b"".join(message(7, path.encode()) for path in sorted(outputs))


class Asked(NamedTuple):
    """What makes up an Action: blobs that the server must have, seconds, a salt, and which workers will do."""

    command: Digest
    root: Digest
    timeout: int
    salt: str
    platform: Mapping[str, str]


def encode_action(asked: Asked) -> bytes:
    """An Action whose result no server is to keep: Loom keeps it, once it has been checked."""
    said = message(1, encode_digest(asked.command)) + message(2, encode_digest(asked.root))
    said += message(6, number(1, asked.timeout)) + number(7, 1) + message(9, asked.salt.encode())
    return said + message(10, encode_platform(asked.platform))


def encode_platform(properties: Mapping[str, str]) -> bytes:
    pairs = (message(1, name.encode()) + message(2, value.encode()) for name, value in sorted(properties.items()))
    return b"".join(message(1, pair) for pair in pairs)


def execute(instance: bytes, action: Digest) -> bytes:
    """An ExecuteRequest that is to be answered by a run, not by the memory of one."""
    return instance + number(3, 1) + message(6, encode_digest(action))


def named(operation: str) -> bytes:
    """A WaitExecutionRequest, and a CancelOperationRequest too."""
    return message(1, operation.encode())


class Operation(NamedTuple):
    """How far an action is. Once it is `done`, `code` tells what went wrong (0: nothing), `result` what it left."""

    name: str
    done: bool = False
    code: int = 0
    result: bytes | None = None
    cached: bool = False


def operation(data: bytes) -> Operation:
    """Of a google.longrunning.Operation; an error of its own counts like the status of an ExecuteResponse."""
    found = dict(fields(data))
    name, done = as_text(found.get(1, b"")), found.get(3, 0) == 1
    if not done:
        return Operation(name)
    if 4 in found:
        return Operation(name, True, _code(found[4]) or -1)
    response = dict(fields(as_bytes(dict(fields(as_bytes(found.get(5, b"")))).get(2, b""))))
    result = as_bytes(response[1]) if 1 in response else None
    return Operation(name, True, _code(response.get(3, b"")), result, response.get(2, 0) == 1)


def _code(status: int | bytes) -> int:
    code = dict(fields(as_bytes(status))).get(1, 0)
    if not isinstance(code, int):
        raise WireError("holds bytes where a number must be")
    return code


class LeftFile(NamedTuple):
    path: str
    digest: Digest
    executable: bool
    contents: bytes


class Left(NamedTuple):
    """An ActionResult of a run: what it left, at which paths, and its texts as bytes or as digests of them."""

    code: int
    files: tuple[LeftFile, ...]
    folders: tuple[tuple[str, Digest], ...]
    """Each with the digest of its message Tree."""
    links: tuple[tuple[str, str], ...]
    stdout: bytes | Digest
    stderr: bytes | Digest


_FILES, _FOLDERS, _EXIT_CODE, _STDOUT, _STDERR = 2, 3, 4, 5, 7
_LINKS = (10, 11, 12)


def left(data: bytes) -> Left:
    """WireError unless it is exactly understood."""
    found = list(fields(data))
    code = dict(found).get(_EXIT_CODE, 0)
    if not isinstance(code, int):
        raise WireError("holds bytes where a number must be")
    folders = (dict(fields(as_bytes(value))) for field, value in found if field == _FOLDERS)
    links = (dict(fields(as_bytes(value))) for field, value in found if field in _LINKS)
    return Left(
        code,
        tuple(_file(as_bytes(value)) for field, value in found if field == _FILES),
        tuple((as_text(one.get(1, b"")), decode_digest(as_bytes(one.get(3, b"")))) for one in folders),
        # A server may say the same link in the field of older clients, too.
        tuple(dict.fromkeys((as_text(one.get(1, b"")), as_text(one.get(2, b""))) for one in links)),
        _text(dict(found), _STDOUT),
        _text(dict(found), _STDERR),
    )


def _file(data: bytes) -> LeftFile:
    found = dict(fields(data))
    digest = decode_digest(as_bytes(found.get(2, b"")))
    return LeftFile(as_text(found.get(1, b"")), digest, found.get(4, 0) == 1, as_bytes(found.get(5, b"")))


def _text(found: Mapping[int, int | bytes], field: int) -> bytes | Digest:
    """The bytes, or in the field after them their digest."""
    raw = as_bytes(found.get(field, b""))
    return decode_digest(as_bytes(found[field + 1])) if not raw and field + 1 in found else raw
