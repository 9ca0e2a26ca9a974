"""Under which name a result lies in a shared cache.

In: a key, a namespace. Out: the digest of an Action that has both as its salt and nothing else.
Never: the key itself: it is the digest of its preimage, a blob that is no Action, and servers look for one there.
"""

from __future__ import annotations

from loom.base import Digest
from loom.build.remote.protocol.wire import message

_SALT = 9


def action_of(key: str, namespace: str = "") -> Digest:
    """Results of different namespaces never meet; the empty one is everybody's."""
    # kept by tests/engine/remote/test_batches.py::test_result_of_an_action_is_shared
    return Digest.of(message(_SALT, f"{namespace}/{key}".encode() if namespace else key.encode()))
