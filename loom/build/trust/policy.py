"""Whose results a machine believes, and as whose it gives its own.

In: `remote:` and `LOOM_REMOTE_*`. Out: the namespaces that are read and the one that is written; entries with where
they are from; entries with a signature.
Never: the library that signs, while nothing is signed and no signature is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from loom.build.remote.settings import Remote, listed
from loom.build.store.atomic import Json
from loom.build.trust.believed import ORIGIN, SHARED
from loom.build.trust.keys import PublicKey, read_keys
from loom.build.trust.secret import SigningKey, need_library, signing_key
from loom.build.trust.signature import signed, signer


class Trust:
    """`trusted` is None where results are believed whoever made them."""

    def __init__(
        self,
        trusted: Mapping[str, PublicKey] | None = None,
        key: SigningKey | None = None,
        namespace: str = SHARED,
        also_read: tuple[str, ...] = (),
    ) -> None:
        self._trusted = trusted
        self._key = key
        self.namespace = namespace
        self.read = tuple(dict.fromkeys((SHARED, namespace, *also_read)))

    @property
    def unheard(self) -> str:
        """Why nobody would believe what this machine gives; empty when somebody does."""
        if self._trusted is None or self._key is not None or self.namespace != SHARED:
            return ""
        return (
            "is given nothing from here: `trust` asks for signatures and there is no signing key; "
            "give one, or a `namespace` of its own"
        )

    def accepted(self, entry: dict[str, Json], namespace: str) -> dict[str, Json]:
        """The entry with where it is from; BadEntry unless it is believed."""
        by = ""
        if self._trusted is not None and namespace == SHARED:
            by = signer(entry, namespace, self._trusted)
        return {**entry, ORIGIN: {"namespace": namespace, "signer": by}}

    def prepared(self, entry: dict[str, Json]) -> dict[str, Json]:
        """The entry as it is given to others."""
        own = {name: value for name, value in entry.items() if name != ORIGIN}
        return own if self._key is None else signed(own, self.namespace, self._key)


def trust_of(remote: Remote, root: Path, environment: Mapping[str, str]) -> Trust:
    """What a project says of it; ProjectProblem when a key cannot be read, or the library that checks is missing."""
    files = listed(remote.trust)
    if files:
        need_library()
    trusted = read_keys(root, files) if files else None
    key = signing_key(remote.signing_key_file, root, environment)
    return Trust(trusted, key, remote.namespace, listed(remote.also_read))
