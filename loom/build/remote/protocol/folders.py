"""Folders as the Remote Execution API (v2) writes them: each a message of its own, named by its digest.

In: files and links by path. Out: the messages; and, back, what a message Tree holds.
Never: more entries than any output has, or a name that is a path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loom.base import Digest
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
from loom.build.store.tree import TreeEntry, TreeFile, TreeLink

_FILES, _FOLDERS, _LINKS = 1, 2, 3
_NAME, _CONTENT, _EXECUTABLE = 1, 2, 4
_TARGET = 2
_ROOT, _CHILDREN = 1, 2
_MOST = 500_000
"""Entries: few messages can stand for endless folders, each of which holds the next one many times."""
_LONGEST = 4096
"""Characters of a path: few messages can stand for very long ones, too."""


class Folder:
    """A folder that is being put together."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[Digest, bool]] = {}
        self._links: dict[str, str] = {}
        self._folders: dict[str, Folder] = {}

    def file(self, path: str, content: Digest, *, executable: bool = False) -> None:
        above, _, name = path.rpartition("/")
        self.below(above)._files[name] = (content, executable)

    def link(self, path: str, target: str) -> None:
        above, _, name = path.rpartition("/")
        self.below(above)._links[name] = target

    def below(self, path: str) -> Folder:
        """The folder at `path`, made with those above it when it is not there; the empty path is the folder itself."""
        place = self
        for name in filter(None, path.split("/")):
            place = place._folders.setdefault(name, Folder())
        return place

    def encoded(self, messages: dict[Digest, bytes]) -> Digest:
        """The digest of its message Directory, which goes into `messages` with those of all folders in it."""
        files = (_file(name, *found) for name, found in sorted(self._files.items()))
        folders = (_node(name, found.encoded(messages)) for name, found in sorted(self._folders.items()))
        links = (
            message(_NAME, name.encode()) + message(_TARGET, to.encode()) for name, to in sorted(self._links.items())
        )
        parts = ((_FILES, files), (_FOLDERS, folders), (_LINKS, links))
        data = b"".join(message(field, node) for field, nodes in parts for node in nodes)
        digest = Digest.of(data)
        messages[digest] = data
        return digest


def _node(name: str, content: Digest) -> bytes:
    return message(_NAME, name.encode()) + message(_CONTENT, encode_digest(content))


def _file(name: str, content: Digest, executable: bool) -> bytes:
    return _node(name, content) + number(_EXECUTABLE, int(executable))


def _link(name: str, target: str) -> bytes:
    return message(_NAME, name.encode()) + message(_TARGET, target.encode())


def decode_tree(data: bytes) -> tuple[TreeEntry, ...]:
    """The files and links of a message Tree, unsorted; whether their paths are legal is for a `Tree` to say."""
    found = list(fields(data))
    children = {Digest.of(one): one for one in (as_bytes(value) for field, value in found if field == _CHILDREN)}
    return tuple(_Walk(children).entries(as_bytes(dict(found).get(_ROOT, b""))))


class _Walk:
    """Through the folders of one Tree. None can hold itself: it would have to hold its own digest."""

    def __init__(self, children: Mapping[Digest, bytes]) -> None:
        self._children = children
        self._left = _MOST

    def entries(self, root: bytes) -> Iterator[TreeEntry]:
        waiting = [(root, "")]
        while waiting:
            folder, above = waiting.pop()
            for field, value in fields(folder):
                if field not in (_FILES, _FOLDERS, _LINKS):
                    continue
                node = dict(fields(as_bytes(value)))
                path = self._counted(above + _name(node))
                if field == _FOLDERS:
                    waiting.append((self._child(node), f"{path}/"))
                else:
                    yield _entry(field, node, path)

    def _counted(self, path: str) -> str:
        self._left -= 1
        if self._left < 0 or len(path) > _LONGEST:
            raise WireError("holds more, or deeper, than any output does")
        return path

    def _child(self, node: Mapping[int, int | bytes]) -> bytes:
        child = self._children.get(decode_digest(as_bytes(node.get(_CONTENT, b""))))
        if child is None:
            raise WireError("names a folder that it does not hold")
        return child


def _entry(field: int, node: Mapping[int, int | bytes], path: str) -> TreeEntry:
    if field == _LINKS:
        return TreeLink(path=path, target=as_text(node.get(_TARGET, b"")))
    content = decode_digest(as_bytes(node.get(_CONTENT, b"")))
    return TreeFile(path=path, sha256=content.sha256, size=content.size, executable=node.get(_EXECUTABLE, 0) == 1)


def _name(node: Mapping[int, int | bytes]) -> str:
    name = as_text(node.get(_NAME, b""))
    if not name or "/" in name:
        raise WireError("holds a name that is none")
    return name
