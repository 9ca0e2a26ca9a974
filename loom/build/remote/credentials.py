"""What lets us in: a bearer token, a client certificate, and whose certificates we believe.

In: names of files, the variable LOOM_REMOTE_TOKEN. Out: headers and a TLS context.
Never: a secret in a message, a `repr`, or on a connection that is not private.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path

from loom.build.project.problem import ProjectProblem
from loom.build.remote.settings import Remote

TOKEN = "LOOM_REMOTE_TOKEN"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Credentials:
    """Of one place; its `repr` tells nothing."""

    def __init__(self, token: str = "", tls: ssl.SSLContext | None = None) -> None:
        self._token = token
        self.tls = tls

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}


def credentials(remote: Remote, root: Path, environment: Mapping[str, str], host: str) -> Credentials:
    """ProjectProblem names the file or variable that is wrong, never what is in it."""
    token = _token(remote, root, environment)
    if remote.cache.startswith("https:"):
        return Credentials(token, _tls(remote, root))
    if token and host not in _LOOPBACK:
        raise ProjectProblem("remote: a token is sent over https:// alone, where nobody else can read it")
    return Credentials(token)


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
