"""Public keys: who made a result, and whose results are believed.

In: files of public keys, one a line, as `ssh-keygen` and `loom cache key new` write them. Out: keys by fingerprint.
Never: a secret, or the library that signs: fingerprints are compared far more often than signatures are checked.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from loom.build.project.problem import ProjectProblem

_KIND = b"ssh-ed25519"
_SIZE = 32
# How OpenSSH writes such a key: its kind and its bytes, each behind four bytes of length.
_HEAD = len(_KIND).to_bytes(4, "big") + _KIND + _SIZE.to_bytes(4, "big")


class PublicKey(NamedTuple):
    """`data` are the 32 bytes of an ed25519 key; `name` is what people call it."""

    data: bytes
    name: str = ""

    @property
    def fingerprint(self) -> str:
        """As `ssh-keygen -l` shows it."""
        digest = hashlib.sha256(_HEAD + self.data).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")

    @property
    def line(self) -> str:
        return f"{_KIND.decode()} {base64.b64encode(_HEAD + self.data).decode()} {self.name}".rstrip()


def read_keys(root: Path, names: Sequence[str]) -> dict[str, PublicKey]:
    """The keys of all these files, by fingerprint; ProjectProblem names the file and the line that is wrong."""
    return {key.fingerprint: key for name in names for key in _of_file(root, name)}


def _of_file(root: Path, name: str) -> Iterator[PublicKey]:
    try:
        text = (root / Path(name).expanduser()).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ProjectProblem(f"remote: {name} cannot be read as a file of public keys") from None
    found = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, line) for number, line in found if line and not line.startswith("#")]
    if not lines:
        raise ProjectProblem(f"remote: {name} holds no public key: `loom cache key new` makes one")
    for number, line in lines:
        key = parsed(line)
        if key is None:
            # A secret key may have been named by mistake, so the line is not repeated.
            raise ProjectProblem(f"remote: {name}:{number}: is no public key (ssh-ed25519 AAAA… name)")
        yield key


def parsed(line: str) -> PublicKey | None:
    """One line; None when it is anything else."""
    kind, _, rest = line.partition(" ")
    encoded, _, name = rest.strip().partition(" ")
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    if kind.encode() != _KIND or not data.startswith(_HEAD) or len(data) != len(_HEAD) + _SIZE:
        return None
    return PublicKey(data.removeprefix(_HEAD), name.strip())
