"""Resources that bodies call, and the verbs that each kind of them has.

In: resources and storages as declared. Out: signatures; the verbs of one.
Never: resources that only keep what a context stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loom.ir.types import JSON, NOTHING, STRING, ArrayType, OptionalType, Type
from loom.lower.signature import ResourceSignature
from loom.parse import ast


class Verb(NamedTuple):
    """`storages` are the types of storage that have it, if not all of its kind do. One that `reads` changes nothing."""

    takes: tuple[tuple[str, Type], ...]
    answers: Type
    reads: bool = False
    storages: tuple[str, ...] = ()


_KEY = ("key", STRING)
VERBS: Mapping[str, Mapping[str, Verb]] = {
    "objectStore": {
        "put": Verb((_KEY, ("value", JSON)), NOTHING),
        "get": Verb((_KEY,), OptionalType(of=JSON), reads=True),
        "list": Verb((("prefix", STRING),), ArrayType(of=STRING), reads=True),
        "signedUrl": Verb((_KEY,), STRING, reads=True, storages=("s3",)),
        "delete": Verb((_KEY,), NOTHING),
    },
    "queue": {
        "enqueue": Verb((("message", JSON),), NOTHING),
        "publish": Verb((("topic", STRING), ("message", JSON)), NOTHING),
    },
    "api": {
        "get": Verb((("path", STRING),), JSON, reads=True),
        "post": Verb((("path", STRING), ("body", JSON)), JSON),
    },
    "mailer": {"send": Verb((("to", STRING), ("subject", STRING), ("body", STRING)), NOTHING)},
}


def resource_signatures(members: Iterable[ast.TopMember]) -> tuple[ResourceSignature, ...]:
    members = list(members)
    storages = {item.name: item.type.name for item in members if isinstance(item, ast.Storage) and item.type}
    return tuple(
        ResourceSignature(
            name=item.name, context=item.context.name, kind=item.kind.name, storage=storages.get(item.use.name, "")
        )
        for item in members
        if isinstance(item, ast.Resource) and item.context and item.kind and item.use and item.kind.name in VERBS
    )


def verbs_of(resource: ResourceSignature) -> dict[str, Verb]:
    """What a resource can do, as its kind and its storage have it."""
    found = VERBS[resource.kind]
    return {name: verb for name, verb in found.items() if not verb.storages or resource.storage in verb.storages}
