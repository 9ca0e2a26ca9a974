"""What lets us in: a bearer token, a client certificate, and whose certificates we believe.

In: names of files, the variable LOOM_REMOTE_TOKEN. Out: headers and a TLS context.
Never: a secret in a message, a `repr`, or on a connection that is not private.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from loom.build.project.problem import ProjectProblem
from loom.build.remote.settings import TOKEN, Remote

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Credentials:
    """Of one place; its `repr` tells nothing."""

    def __init__(self, token: str = "", tls: ssl.SSLContext | None = None) -> None:
        self._token = token
        self.tls = tls

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}


class TlsFiles(NamedTuple):
    """What is in the files, for a library that reads none itself; `repr` must not show it."""

    ca: bytes
    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "TlsFiles()"


def credentials(remote: Remote, root: Path, environment: Mapping[str, str]) -> Credentials:
    """ProjectProblem names the file or variable that is wrong, never what is in it."""
    tls = _tls(remote, root) if is_private(remote.cache) else None
    return Credentials(bearer(remote, root, environment, remote.cache), tls)


def is_private(address: str) -> bool:
    return address.startswith(("https:", "grpcs:"))


def bearer(remote: Remote, root: Path, environment: Mapping[str, str], address: str) -> str:
    """The token for who answers at `address`, empty when there is none."""
    token = _token(remote, root, environment)
    if token and not is_private(address) and urlsplit(address).hostname not in _LOOPBACK:
        raise ProjectProblem("remote: a token is sent over https:// and grpcs:// alone, where nobody else can read it")
    return token


def tls_files(remote: Remote, root: Path) -> TlsFiles:
    # A library that gets a key without its certificate ends the process.
    # kept by tests/engine/remote/test_two_machines.py::test_mistake_in_the_settings_is_one_line_without_a_secret
    _tls(remote, root)
    found = []
    for name in (remote.ca, remote.certificate, remote.key):
        try:
            found.append(_file(root, name).read_bytes() if name else b"")
        except OSError as error:
            raise ProjectProblem(f"remote: {name} cannot be used for TLS: {error.strerror}") from None
    ca, certificate, key = found
    # A certificate and its key may share a file.
    return TlsFiles(ca, certificate, key or certificate)


def _token(remote: Remote, root: Path, environment: Mapping[str, str]) -> str:
    where, token = TOKEN, environment.get(TOKEN, "")
    if not token and remote.token_file:
        where, path = remote.token_file, _file(root, remote.token_file)
        try:
            token = path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            raise ProjectProblem(f"remote: {where} cannot be read as a token") from None
    if not all("!" <= letter <= "~" for letter in token):
        raise ProjectProblem(f"remote: {where} holds a character that no token has")
    return token


def _tls(remote: Remote, root: Path) -> ssl.SSLContext:
    if remote.key and not remote.certificate:
        raise ProjectProblem(f"remote: the key {remote.key} needs its `certificate`")
    try:
        context = ssl.create_default_context(cafile=_file(root, remote.ca) if remote.ca else None)
        if remote.certificate:
            key = _file(root, remote.key) if remote.key else None
            # Without a password of its own OpenSSL would ask a person for one.
            context.load_cert_chain(_file(root, remote.certificate), key, password="")
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror or type(error).__name__
        files = ", ".join(filter(None, (remote.ca, remote.certificate, remote.key)))
        raise ProjectProblem(f"remote: {files} cannot be used for TLS: {reason}") from None
    return context


def _file(root: Path, name: str) -> Path:
    return root / Path(name).expanduser()
