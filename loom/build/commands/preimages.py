"""What keys are made of, as flat tables of text that can be compared.

In: keys or preimages. Out: rows of a name and a text. Never: a guess: what is not stored any more is said to be so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from loom.base import Digest
from loom.build.state import Known
from loom.build.store.atomic import Json
from loom.build.store.codec import from_bytes
from loom.build.store.content import BlobLost, ContentStore
from loom.build.store.entries import BadEntry, digest, number, rows, text
from loom.build.store.results import ResultStore
from loom.build.store.tree import Tree, TreeFile

Flat = dict[str, str]


class Stored:
    """Preimages as flat tables of text, digests replaced by what they stand for where that is a list of files.

    `made` are trees, by their SHA-256, that the store may not have.
    """

    def __init__(self, content: ContentStore, results: ResultStore, made: Mapping[str, Tree] | None = None) -> None:
        self._content = content
        self._results = results
        self._made = made if made is not None else {}

    def preimages(self, known: Known) -> dict[str, Flat]:
        return {unit: self.told(key) for unit, key in known.entries}

    def told(self, key: str) -> Flat:
        """What `key` is made of, or that nobody knows any more."""
        return self.keyed(key) or {"(the whole key)": f"{key}, whose preimage is not stored"}

    def keyed(self, key: str) -> Flat | None:
        """What `key` is made of; None when that is not stored."""
        preimage = self.preimage(key)
        return None if preimage is None else self.flat(preimage)

    def preimage(self, key: str) -> bytes | None:
        """The bytes that `key` is the digest of; None when they are not stored."""
        try:
            return self._preimage(self._results.read(key))
        except (BlobLost, BadEntry):
            return None

    def outputs(self, key: str) -> Flat:
        """What each part is that the step of `key` gave."""
        try:
            found = rows(self._results.read(key), "outputs")
            return {text(row, "path"): _short(text(row, "sha256"), number(row, "size")) for row in found}
        except BadEntry:
            return {}

    def _preimage(self, entry: Json) -> bytes:
        """A blob of its own, or the last stretch of a step's bundle."""
        preimage = digest(entry, "preimage")
        if not isinstance(entry, dict) or "bundle" not in entry:
            return self._content.get(preimage)
        bundle = digest(entry, "bundle")
        return self._content.part(bundle.sha256, bundle.size - preimage.size, preimage)

    def flat(self, preimage: bytes) -> Flat:
        return dict(self._rows("", json.loads(preimage)))

    def _rows(self, path: str, data: Json) -> Iterator[tuple[str, str]]:
        match data:
            case {"part": str(label), "sha256": str(sha256), "size": int(size)}:
                yield f"input {label}", _short(sha256, size)
            case {"sha256": str(sha256), "size": int(size)}:
                files = self._files(Digest(sha256, size))
                yield from ((f"{path} {name}", digest) for name, digest in files)
                if not files:
                    yield path, _short(sha256, size)
            case dict():
                for name, item in data.items():
                    yield from self._rows(f"{path}.{name}".lstrip("."), self._code(name, item))
            case list():
                for number, item in enumerate(data):
                    yield from self._rows(f"{path}[{number}]", item)
            case _:
                yield path, str(data)

    def _code(self, name: str, item: Json) -> Json:
        """The digest of own code stands for a manifest, which is stored."""
        if name != "code" or not isinstance(item, str):
            return item
        try:
            with open(self._content.path(item), "rb") as stream:
                found: Json = json.loads(stream.read())
        except (OSError, ValueError):
            return item
        return found

    def _files(self, digest: Digest) -> list[tuple[str, str]]:
        """Path and digest of each file, when the digest is that of a stored tree."""
        value = self._made.get(digest.sha256) or self._stored_tree(digest)
        if value is None:
            return []
        return [(entry.path, entry.sha256[:12] if isinstance(entry, TreeFile) else entry.target)
                for entry in value.entries]  # fmt: skip

    def _stored_tree(self, digest: Digest) -> Tree | None:
        try:
            value = from_bytes(self._content.get(digest))
        except (BlobLost, ValueError, KeyError):
            return None
        return value if isinstance(value, Tree) else None


def _short(sha256: str, size: int) -> str:
    return f"{sha256[:12]} ({size} bytes)"


def compared(before: Mapping[str, Flat], after: Mapping[str, Flat]) -> Iterator[str]:
    for unit in sorted(before.keys() | after.keys()):
        old, new = before.get(unit, {}), after.get(unit, {})
        title = f"  {unit}: " if unit else "  "
        if not old or not new:
            yield f"{title}{'added' if new else 'removed'}\n"
            continue
        old, new = _alike(old, new), _alike(new, old)
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                yield f"{title}{name}: {old.get(name, 'absent')} -> {new.get(name, 'absent')}\n"


def _alike(flat: Flat, other: Flat) -> Flat:
    """A tree that the other side knows by its digest alone is one row here too."""
    trees = Counter(_tree_of(name) for name in flat if _tree_of(name) != name)
    folded = {tree: f"{count} files (the other tree is not stored)" for tree, count in trees.items() if tree in other}
    return {**{name: told for name, told in flat.items() if _tree_of(name) not in folded}, **folded}


def _tree_of(name: str) -> str:
    return name.partition(" ")[0]
