"""An action as a server is asked to run it: its Merkle tree, command and Action, and where their bytes are.

In: an action with its key, an unpacked root, the content store. Out: a `Request`.
Never: a host path in what is sent, or a stored blob that was not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from loom.base import Digest
from loom.build.actions.action import Action
from loom.build.remote.execution.outcome import paths_of
from loom.build.remote.execution.program import INPUTS, OUT, ROOT, SANDBOX, bubblewrap_files, command_line
from loom.build.remote.execution.roots import RootFiles, root_files
from loom.build.remote.places.transport import RemoteFailed
from loom.build.remote.protocol.execution import Asked, encode_action, encode_command
from loom.build.remote.protocol.folders import Folder
from loom.build.store.content import ContentStore
from loom.build.store.tree import TreeFile


class Request(NamedTuple):
    """`sources` has all that the server must have before it is asked for `action`."""

    action: Digest
    sources: Sources


class Sources(Mapping[Digest, "bytes | str"]):
    """Messages that were made, files of the root, and stored blobs; BlobLost for one of these that is damaged."""

    def __init__(self, content: ContentStore) -> None:
        self._content = content
        self._made: dict[Digest, bytes] = {}
        self._files: dict[Digest, str] = {}
        self._stored: set[Digest] = set()

    def __getitem__(self, digest: Digest) -> bytes | str:
        if digest in self._made:
            return self._made[digest]
        return self._files[digest] if digest in self._files else self._content.sound(digest)

    def __iter__(self) -> Iterator[Digest]:
        return iter(self._made.keys() | self._files.keys() | self._stored)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def made(self, data: bytes) -> Digest:
        digest = Digest.of(data)
        self._made[digest] = data
        return digest

    def all_made(self, messages: Mapping[Digest, bytes]) -> None:
        self._made |= messages

    def file(self, digest: Digest, place: str) -> Digest:
        self._files[digest] = place
        return digest

    def stored(self, digest: Digest) -> Digest:
        self._stored.add(digest)
        return digest


def request(key: str, action: Action, root: Path, content: ContentStore, platform: Mapping[str, str]) -> Request:
    """BlobLost when the store lacks an input tree."""
    found, sources, top = root_files(root), Sources(content), Folder()
    _lay_root(found, root, top.below(ROOT), sources)
    for item in action.inputs:
        _lay_input(content, item.tree, top.below(f"{INPUTS}/{item.name}"), sources)
    for name, place in bubblewrap_files().items():
        data = place.read_bytes()
        top.file(f"{SANDBOX}/{name}", sources.made(data), executable=name == "bwrap")
    top.below(OUT)
    messages: dict[Digest, bytes] = {}
    top_digest = top.encoded(messages)
    sources.all_made(messages)
    argv = command_line(action, *_libraries(found))
    command = sources.made(encode_command(argv, paths_of(action), platform))
    asked = Asked(command, top_digest, action.timeout, key, platform)
    return Request(sources.made(encode_action(asked)), sources)


def _lay_root(found: RootFiles, root: Path, folder: Folder, sources: Sources) -> None:
    for path in found.folders:
        folder.below(path)
    for path, sha256, size, executable in found.files:
        folder.file(path, sources.file(Digest(sha256, size), f"{root}/{path}"), executable=executable)
    for path, target in found.links:
        folder.link(path, target)


def _lay_input(content: ContentStore, tree: Digest, folder: Folder, sources: Sources) -> None:
    for entry in content.get_tree(tree).entries:
        if isinstance(entry, TreeFile):
            folder.file(entry.path, sources.stored(entry.content), executable=entry.executable)
        else:
            folder.link(entry.path, entry.target)


def _libraries(found: RootFiles) -> tuple[str, str]:
    """Where the C library of a root lies, and what loads programs with it."""
    for path, *_ in found.files:
        folder, _, name = path.rpartition("/")
        if name.startswith("ld-linux-") and name.endswith(".so.2"):
            return f"{ROOT}/{folder}", f"{ROOT}/{path}"
    raise RemoteFailed("gets no root without the GNU C library")
