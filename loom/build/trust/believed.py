"""Whether a stored result is still believed: what was taken from elsewhere may since have lost its trust.

In: `remote:` of a project, entries. Out: yes or no.
Never: keys read before an entry is met that was signed, or anything imported that a run with nothing to do can spare.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from loom.build.remote.settings import Remote, listed
from loom.build.store.atomic import Json

ORIGIN = "origin"
"""Where an entry is from; what was made here has none."""
SHARED = ""
"""The namespace that everybody reads; each other one is read by those who ask for it."""


class Believed:
    """A question to ask of each entry."""

    def __init__(self, remote: Remote, root: Path) -> None:
        self._remote = remote
        self._root = root
        self._read = {SHARED, remote.namespace, *listed(remote.also_read)}

    @cached_property
    def _signers(self) -> frozenset[str]:
        from loom.build.trust.keys import read_keys

        return frozenset(read_keys(self._root, listed(self._remote.trust)))

    def __call__(self, entry: dict[str, Json]) -> bool:
        if ORIGIN not in entry:
            return True
        match entry[ORIGIN]:
            # Nobody signs it for us; who asks for signatures says in the same place whose workers he believes.
            case {"executor": address}:
                return not self._remote.trust or address == self._remote.executor
            case {"namespace": "", "signer": by}:
                return not self._remote.trust or by in self._signers
            case {"namespace": namespace}:
                return namespace in self._read
            case _:
                return False
