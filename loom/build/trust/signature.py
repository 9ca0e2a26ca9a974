"""What a signature of a result says, and whether it says so.

In: an entry, a namespace, keys. Out: the entry with its signature; who signed it.
Never: an entry that was signed for another namespace, or a field that the signature does not cover.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from loom.build.store.atomic import Json, canonical_json
from loom.build.store.entries import BadEntry, text
from loom.build.trust.keys import PublicKey
from loom.build.trust.secret import SigningKey

SIGNATURE = "signature"
_SCHEMA = b"loom.signature/1"


def signed(entry: dict[str, Json], namespace: str, key: SigningKey) -> dict[str, Json]:
    """The entry with the signature of `key` in place of any other."""
    value = base64.b64encode(key.sign(_message(entry, namespace))).decode()
    return {**entry, SIGNATURE: {"key": key.public.fingerprint, "value": value}}


def signer(entry: dict[str, Json], namespace: str, trusted: Mapping[str, PublicKey]) -> str:
    """The fingerprint of the trusted key that signed exactly this; BadEntry when none did."""
    if SIGNATURE not in entry:
        raise BadEntry("is not signed, and only signed results are believed here")
    signature = entry[SIGNATURE]
    fingerprint = text(signature, "key")
    key = trusted.get(fingerprint)
    if key is None:
        raise BadEntry("is signed by a key that is not trusted here")
    if not _verified(key, text(signature, "value"), _message(entry, namespace)):
        raise BadEntry("has a signature that does not fit it")
    return fingerprint


def _verified(key: PublicKey, value: str, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key.data).verify(base64.b64decode(value, validate=True), message)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def _message(entry: dict[str, Json], namespace: str) -> bytes:
    """Never the start of anything else that such a key may sign."""
    covered = {name: value for name, value in entry.items() if name != SIGNATURE}
    return b"\n".join((_SCHEMA, namespace.encode(), canonical_json(covered)))
