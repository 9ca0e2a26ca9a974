"""Many files as one output: a list that is cheap to read, and their bytes end to end.

In: files with a path and a text. Out: `Laid`. Never: a file system.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from loom.base.value import Digest, Value


class TextFile(Protocol):
    @property
    def path(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def executable(self) -> bool: ...


class ListedFile(Value):
    """A relative path with `/`, the digest of the bytes there, and whether they may be executed."""

    path: str
    sha256: str
    size: int
    executable: bool


class Listing(Value):
    """Files in the order in which their bytes lie."""

    files: tuple[ListedFile, ...]


class Laid(NamedTuple):
    """What a stage gives whose files are written; whoever only compares reads the listing alone."""

    listing: Listing
    content: bytes


def laid(files: Iterable[TextFile]) -> Laid:
    listed: list[ListedFile] = []
    content: list[bytes] = []
    for file in files:
        data = file.text.encode()
        sha256, size = Digest.of(data)
        listed.append(ListedFile(path=file.path, sha256=sha256, size=size, executable=file.executable))
        content.append(data)
    return Laid(Listing(files=tuple(listed)), b"".join(content))
