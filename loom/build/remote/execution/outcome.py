"""What a worker left, checked and laid where the local sandboxes leave it.

In: the Operation of an action at its end. Out: its exit, and its files in the folder of outputs.
Never: a path that was not declared, a link that leads out, bytes that do not match, or the words of a server.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import grpc

from loom.base import Digest
from loom.build.actions.action import Action
from loom.build.remote.places.line import failure, status, understood
from loom.build.remote.places.transport import (
    BLOB_LIMIT,
    RESULT_LIMIT,
    RemoteAbsent,
    RemoteBroke,
    RemoteFailed,
    RemoteLacks,
)
from loom.build.remote.protocol.execution import Left, LeftFile, Operation, left
from loom.build.remote.protocol.folders import decode_tree
from loom.build.remote.taking import RemoteDamaged, Taker
from loom.build.sandbox.job import Exit, Trouble
from loom.build.sandbox.launcher import STEP_FILE, failed_step
from loom.build.store.content import ContentStore
from loom.build.store.tree import Tree, TreeEntry, TreeError, TreeLink

_TOTAL = 32 << 30
_NOTE = 4096
# What a server says when it lacks an input; some have nothing better for it than INTERNAL.
# kept by tests/engine/remote/test_execution.py::test_input_that_the_server_lost_is_given_again
_LACKING = frozenset({grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INTERNAL})
_PASSING = frozenset(
    {
        *(grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.ABORTED),
        *(grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN),
    }
)


def paths_of(action: Action) -> dict[str, str]:
    """What a worker is asked for, by its path below the input root: where it lies below the folder of outputs."""
    places = (output.path.removeprefix("/out/") for output in action.outputs)
    return {f"out/{place}": place for place in (*places, STEP_FILE)}


class Outcomes:
    """`taker` fetches into `content`."""

    def __init__(self, content: ContentStore, taker: Taker) -> None:
        self._content = content
        self._taker = taker

    def laid(self, found: Operation, action: Action, out: Path, seconds: float) -> Exit:
        """`seconds` is how long it took; RemoteFailed when the server failed, RemoteDamaged when it cannot be right."""
        late = status(found.code) is grpc.StatusCode.DEADLINE_EXCEEDED and seconds >= action.timeout
        if found.code and not late:
            raise _failed(status(found.code))
        if found.result is None:
            if late:
                return Exit(1, b"", b"", Trouble.TIMEOUT)
            raise RemoteDamaged("says nothing of what an action left")
        said = understood(left, found.result)
        try:
            self._lay(said, action, out)
            stdout, stderr = self._text(said.stdout), self._text(said.stderr)
        except RemoteAbsent:
            raise RemoteLacks("has lost what an action left") from None
        if late:
            return Exit(said.code or 1, stdout, stderr, Trouble.TIMEOUT)
        _check(said.code, action, out, cached=found.cached)
        return Exit(said.code, stdout, stderr)

    def _lay(self, said: Left, action: Action, out: Path) -> None:
        places = paths_of(action)
        trees = {path: self._tree(digest) for path, digest in said.folders}
        named = [*(file.path for file in said.files), *trees, *(path for path, _ in said.links)]
        if strange := set(named) - places.keys():
            raise RemoteDamaged(f"gives what was not asked for: {min(strange)!r}")
        if len(set(named)) < len(named):
            raise RemoteDamaged("gives one output twice")
        single = {file.path: file for file in said.files}
        if any(places[path] == STEP_FILE and file.digest.size > _NOTE for path, file in single.items()):
            raise RemoteDamaged("gives more than the name of a step")
        self._take(single.values(), trees.values())
        for path, tree in trees.items():
            target = out / places[path]
            target.parent.mkdir(parents=True, exist_ok=True)
            self._content.materialise(tree, target)
        for path, file in single.items():
            self._lay_file(file, out / places[path])
        for path, to in said.links:
            _lay_link(out / places[path], to)

    def _tree(self, digest: Digest) -> Tree:
        try:
            return Tree.of(understood(decode_tree, self._bytes(digest)))
        except TreeError as error:
            raise RemoteDamaged(str(error)) from None

    def _take(self, files: Iterable[LeftFile], trees: Iterable[Tree]) -> None:
        for file in files:
            if file.contents and Digest.of(file.contents) == file.digest:
                self._content.put(file.contents)
        blobs = [*(file.digest for file in files), *(entry.content for tree in trees for entry in tree.files)]
        if any(blob.size > BLOB_LIMIT for blob in blobs) or sum(blob.size for blob in blobs) > _TOTAL:
            raise RemoteDamaged("is larger than any result may be")
        self._taker.take(blobs)

    def _lay_file(self, file: LeftFile, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        self._content.copy_to(file.digest, str(target), 0o755 if file.executable else 0o644)

    def _text(self, text: bytes | Digest) -> bytes:
        return text if isinstance(text, bytes) else self._bytes(text)

    def _bytes(self, digest: Digest) -> bytes:
        if digest.size > RESULT_LIMIT:
            raise RemoteDamaged("is larger than any result may be")
        self._taker.take([digest])
        return self._content.get(digest)


def _lay_link(target: Path, to: str) -> None:
    try:
        entries: list[TreeEntry] = [TreeLink(path=target.name, target=to)]
        Tree.of(entries)
    except TreeError as error:
        raise RemoteDamaged(str(error)) from None
    target.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(to, target)


def _check(code: int, action: Action, out: Path, *, cached: bool) -> None:
    """The launcher writes down each step that it begins: a verdict that does not fit that is none of an action."""
    step = failed_step(out)
    if code == 0 and step != action.steps[-1].name:
        raise RemoteDamaged("says that an action succeeded which did not come to its last step")
    if code != 0 and cached:
        raise RemoteDamaged("remembers a failure, although it was asked for a new run")
    if code != 0 and not step:
        raise RemoteFailed("cannot make Loom's sandbox on its worker: user namespaces must be allowed there")


def _failed(code: grpc.StatusCode) -> Exception:
    if code in _LACKING:
        return RemoteLacks(f"answers {code.name}")
    return RemoteBroke(f"answers {code.name}") if code in _PASSING else failure(code)
