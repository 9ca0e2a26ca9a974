"""The key that results are signed with.

In: a file, or the variable LOOM_REMOTE_SIGNING_KEY. Out: signatures. Never: its bytes in a message or a `repr`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from loom.build.project.problem import ProjectProblem
from loom.build.remote.settings import SIGNING_KEY
from loom.build.trust.keys import PublicKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class SigningKey:
    """`where` is the file or variable that it came from."""

    def __init__(self, key: Ed25519PrivateKey, where: str) -> None:
        from cryptography.hazmat.primitives import serialization as form

        self._key = key
        self.where = where
        self.public = PublicKey(key.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw))

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def signing_key(file: str, root: Path, environment: Mapping[str, str]) -> SigningKey | None:
    """None where there is none; ProjectProblem names what is wrong, never what it holds."""
    where, text = SIGNING_KEY, environment.get(SIGNING_KEY, "")
    if not text and file:
        where, text = file, _read(root, file)
    return _parsed(text, where) if text else None


def new_key(place: Path, name: str) -> PublicKey:
    """Writes the secret key to `place`, for its owner alone, and its public half beside it, to `<place>.pub`."""
    need_library()
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    data = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.OpenSSH, form.NoEncryption())
    public = SigningKey(key, str(place)).public._replace(name=name)
    place.parent.mkdir(parents=True, exist_ok=True)
    _write_new(place, data, 0o600)
    _write_new(place.with_name(f"{place.name}.pub"), f"{public.line}\n".encode(), 0o644)
    return public


def need_library() -> None:
    """ProjectProblem with what to install, unless it is there."""
    if find_spec("cryptography") is None:
        raise ProjectProblem("remote: signatures need the package cryptography: pip install 'loom-ddd[signing]'")


def _read(root: Path, file: str) -> str:
    place = root / Path(file).expanduser()
    try:
        if place.stat().st_mode & 0o077:
            raise ProjectProblem(f"remote: {file} can be read by others: chmod 600 {file}")
        return place.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        raise ProjectProblem(f"remote: {file} cannot be read as a signing key") from None


def _parsed(text: str, where: str) -> SigningKey:
    need_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    try:
        # Variables of CI services often lose the last line's end, without which this is no such file.
        key = load_ssh_private_key(f"{text.strip()}\n".encode(), password=None)
    except Exception:  # the library raises what it likes, and its words may tell of the text
        raise ProjectProblem(f"remote: {where} holds no signing key: `loom cache key new` makes one") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ProjectProblem(f"remote: {where} holds a key of another kind than ed25519")
    return SigningKey(key, where)


def _write_new(place: Path, data: bytes, mode: int) -> None:
    """Never over a file that is there: it may be the only one of its kind."""
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except FileExistsError:
        raise ProjectProblem(f"{place} is there already; name another file") from None
    except OSError as error:
        raise ProjectProblem(f"{place} cannot be written: {error.strerror}") from None
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
