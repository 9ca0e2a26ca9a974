"""Why the key of a task changed: two stored preimages, compared field by field and file by file.

In: a work, its state before. Out: lines of text. Never: a guess: what is not stored any more is said to be so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loom.base import Digest
from loom.build.state import Known
from loom.build.store.atomic import Json
from loom.build.store.codec import from_bytes
from loom.build.store.content import BlobLost, ContentStore
from loom.build.store.entries import BadEntry, digest
from loom.build.store.results import ResultStore
from loom.build.store.tree import Tree, TreeFile

if TYPE_CHECKING:
    from loom.build.work.work import Work
    from loom.build.workspace import Workspace

Flat = dict[str, str]


def explain(workspace: Workspace, work: Work) -> str:
    """What differs between now and the last run; when nothing does, what the last change was."""
    last = workspace.last.ran.get(work.name) if workspace.last else None
    previous = workspace.last.previous.get(work.name) if workspace.last else None
    if last is None:
        return f"{work.name} was not run here before\n"
    stored = Stored(workspace.content, workspace.results)
    now = work.preimages()
    lines = list(_compared(stored.preimages(last), {unit: stored.flat(data) for unit, data in now.items()}))
    if lines:
        return f"{work.name} would run, because its key changed:\n" + "".join(lines)
    if previous is None:
        return f"{work.name} is as it was; its key has not changed here\n"
    lines = list(_compared(stored.preimages(previous), stored.preimages(last)))
    return f"{work.name} is as it was; when it last changed:\n" + "".join(lines)


class Stored:
    """Preimages as flat tables of text, digests replaced by what they stand for where that is a list of files."""

    def __init__(self, content: ContentStore, results: ResultStore) -> None:
        self._content = content
        self._results = results

    def preimages(self, known: Known) -> dict[str, Flat]:
        return {unit: self._stored(key) for unit, key in known.entries}

    def _stored(self, key: str) -> Flat:
        try:
            return self.flat(self._preimage(self._results.read(key)))
        except (BlobLost, BadEntry):
            pass
        return {"(the whole key)": f"{key}, whose preimage is not stored"}

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
        try:
            value = from_bytes(self._content.get(digest))
        except (BlobLost, ValueError, KeyError):
            return []
        if not isinstance(value, Tree):
            return []
        return [(entry.path, entry.sha256[:12] if isinstance(entry, TreeFile) else entry.target)
                for entry in value.entries]  # fmt: skip


def _short(sha256: str, size: int) -> str:
    return f"{sha256[:12]} ({size} bytes)"


def _compared(before: dict[str, Flat], after: dict[str, Flat]) -> Iterator[str]:
    for unit in sorted(before.keys() | after.keys()):
        old, new = before.get(unit, {}), after.get(unit, {})
        title = f"  {unit}: " if unit else "  "
        if not old or not new:
            yield f"{title}{'added' if new else 'removed'}\n"
            continue
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                yield f"{title}{name}: {old.get(name, 'absent')} -> {new.get(name, 'absent')}\n"
