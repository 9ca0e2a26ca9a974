"""A folder as a value: which files and links it holds, with digests of their content.

In: entries with relative paths. Out: a sorted, checked, digestible value.
Never: content (the content store has it), owners, times, empty folders, absolute paths.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from loom.base import Digest, Value

_LONGEST, _DEEPEST, _NAMED = 2048, 256, 255
"""Characters of a path, names in it, bytes of a name."""
_SURE = 63
"""A path of so many characters is within all three."""


class TreeError(Exception):
    """A path or a set of paths that no tree may hold; the message names the path."""


class TreeFile(Value):
    path: str
    sha256: str
    size: int
    executable: bool = False

    @property
    def content(self) -> Digest:
        return Digest(self.sha256, self.size)


class TreeLink(Value):
    path: str
    target: str


TreeEntry = TreeFile | TreeLink


class Tree(Value):
    """Entries sorted by path; `Tree.of` sorts, the constructor only checks."""

    entries: tuple[TreeEntry, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[TreeEntry]) -> Tree:
        return cls(entries=tuple(sorted(entries, key=lambda entry: entry.path)))

    def __post_init__(self) -> None:
        check_entries(self.entries)

    @property
    def files(self) -> Iterator[TreeFile]:
        return (entry for entry in self.entries if isinstance(entry, TreeFile))

    def below(self, folder: str) -> Tree:
        """What lies in `folder`, with paths relative to it; a file of that name is a tree of one file."""
        start = folder + "/"
        inside = [
            entry.model_copy(update={"path": entry.path[len(start) :]})
            for entry in self.entries
            if entry.path.startswith(start)
        ]
        return Tree.of(inside)

    def under(self, folder: str) -> Tree:
        """The same tree one folder deeper."""
        return Tree.of(entry.model_copy(update={"path": f"{folder}/{entry.path}"}) for entry in self.entries)


def check_entries(entries: Iterable[TreeEntry]) -> None:
    """TreeError unless paths are legal, sorted, distinct whatever their case, and no file is a folder too."""
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    previous = ""
    for entry in entries:
        path = entry.path
        check_path(path)
        if path <= previous:
            raise TreeError(f"`{path}` is out of order or twice in the tree")
        previous = path
        _claim(path, seen, folders)
        if isinstance(entry, TreeLink):
            check_link(entry)
    if clash := seen.keys() & folders.keys():
        raise TreeError(f"`{seen[min(clash)]}` is both a file and a folder")


def _claim(path: str, seen: dict[str, str], folders: dict[str, str]) -> None:
    _claim_one(path, seen)
    cut = path.rfind("/")
    while cut > 0 and _claim_one(path[:cut], folders):
        cut = path.rfind("/", 0, cut)


def _claim_one(path: str, claimed: dict[str, str]) -> bool:
    """Whether `path` is new; then so may be the folders above it."""
    before = len(claimed)
    other = claimed.setdefault(path.casefold(), path)
    if other != path:
        raise TreeError(f"`{path}` and `{other}` differ in case alone")
    return len(claimed) > before


def check_path(path: str) -> None:
    """TreeError unless `path` is relative, normalised, and stays where it is put."""
    parts = path.split("/")
    if not path or "" in parts or "." in parts or ".." in parts:
        raise TreeError(f"`{path}` is not a plain relative path")
    if "\0" in path or "\\" in path or (len(path) > 1 and path[1] == ":"):
        raise TreeError(f"`{path!r}` holds a character that a path may not")
    if len(path) > _SURE:
        _check_room(path, parts)
    if not path.isascii() and unicodedata.normalize("NFC", path) != path:
        raise TreeError(f"`{path}` is not in Unicode normal form C")


def _check_room(path: str, parts: list[str]) -> None:
    """No system has room for what is longer, and a tree must fit below the folder of a store."""
    if len(path) > _LONGEST or len(parts) > _DEEPEST or any(len(part.encode()) > _NAMED for part in parts):
        raise TreeError(f"`{path[:60]}…` is longer or deeper than there is room for")


def check_link(link: TreeLink) -> None:
    """TreeError unless the target stays inside the tree, whatever links it leads through.

    `..` is legal in front only: behind a name, that name may be a link to somewhere else.
    """
    parts = link.target.split("/")
    climbs = 0
    while climbs < len(parts) and parts[climbs] == "..":
        climbs += 1
    rest = parts[climbs:]
    if link.target.startswith("/") or "" in parts or ".." in rest or climbs > link.path.count("/"):
        raise TreeError(f"the link `{link.path}` leads out of its tree: `{link.target}`")
    _check_room(link.target, parts)
    if "\0" in link.target or "\\" in link.target:
        raise TreeError(f"the link `{link.path}` holds a character that a path may not")
