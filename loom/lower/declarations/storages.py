"""What types of storages and kinds of resources there are, and what may be set of a storage.

In: a storage as declared. Out: its settings, checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from loom.base import Feature, nearest
from loom.ir import deployment
from loom.lower.problems.system import ConfigKeyRequired, ConfigKeyType, ConfigKeyUnknown
from loom.lower.scope.source import Source
from loom.parse import ast


class Key(NamedTuple):
    type: type[str] | type[int] | type[bool]
    required: bool = False


class StorageType(NamedTuple):
    """The feature that a storage of the type is, where not every target has one; what may be set of it."""

    feature: Feature | None
    keys: Mapping[str, Key] = MappingProxyType({})


class ResourceKind(NamedTuple):
    """The feature that a resource of the kind is, where not every target has one; the types that can serve it."""

    feature: Feature | None
    able: tuple[str, ...]


_TEXT, _NUMBER, _FLAG = Key(str), Key(int), Key(bool)
# None is what the language has and nobody lowers yet.
STORAGE_TYPES: Mapping[str, StorageType | None] = {
    "postgres": StorageType(None),
    "mysql": None,
    "sqlite": None,
    "inMemory": None,
    "redis": StorageType(Feature.STORAGE_REDIS, {"database": _NUMBER}),
    "elastic": None,
    "meilisearch": None,
    "kafka": StorageType(Feature.STORAGE_KAFKA, {"partitions": _NUMBER, "replication": _NUMBER}),
    "clickhouse": None,
    "bigquery": None,
    "s3": StorageType(
        Feature.STORAGE_S3,
        {"bucket": Key(str, required=True), "region": _TEXT, "endpoint": _TEXT, "pathStyle": _FLAG},
    ),
    "localDisk": StorageType(Feature.STORAGE_LOCAL_DISK, {"path": _TEXT}),
    "rabbitmq": StorageType(Feature.STORAGE_RABBITMQ, {"vhost": _TEXT}),
    "nats": None,
    "restApi": StorageType(Feature.STORAGE_REST_API, {"baseUrl": _TEXT, "timeoutSeconds": _NUMBER}),
    "smtp": StorageType(Feature.STORAGE_SMTP, {"from": _TEXT, "host": _TEXT, "port": _NUMBER}),
    "ses": StorageType(Feature.STORAGE_SES, {"from": _TEXT, "region": _TEXT}),
    "sendgrid": StorageType(Feature.STORAGE_SENDGRID, {"from": _TEXT}),
}
RESOURCE_KINDS: Mapping[str, ResourceKind | None] = {
    "state": ResourceKind(None, ("postgres",)),
    "eventLog": ResourceKind(Feature.EVENT_LOG_RESOURCES, ("postgres",)),
    "snapshot": ResourceKind(Feature.SNAPSHOT_RESOURCES, ("postgres",)),
    "cache": None,
    "replica": None,
    "objectStore": ResourceKind(Feature.OBJECT_STORE_RESOURCES, ("s3", "localDisk")),
    "queue": ResourceKind(Feature.QUEUE_RESOURCES, ("rabbitmq",)),
    "api": ResourceKind(Feature.API_RESOURCES, ("restApi",)),
    "mailer": ResourceKind(Feature.MAILER_RESOURCES, ("smtp", "ses", "sendgrid")),
}
# How services find a storage of the type: the variable that they read, the container of the compose file.
CONNECTIONS: Mapping[str, Mapping[str, str]] = {"postgres": {"env": "DATABASE_URL", "service": "db"}}
_SAID = {str: "a string", int: "a number", bool: "`true` or `false`"}


def config(source: Source, declared: ast.Storage, kind: str) -> tuple[deployment.Config, ...]:
    """The settings that the type of the storage has."""
    type_ = STORAGE_TYPES.get(kind)
    known = type_.keys if type_ is not None else {}
    given = {item.name: item for item in declared.config}
    for name, key in known.items():
        if key.required and name not in given:
            source.report(ConfigKeyRequired(at=source.place(declared.at), name=name, storage=declared.name, kind=kind))
    return tuple(made for item in given.values() for made in _setting(source, item, known, kind))


def _setting(source: Source, item: ast.Setting, known: Mapping[str, Key], kind: str) -> tuple[deployment.Config, ...]:
    at = source.place(item.at)
    if item.name not in known:
        near = nearest(item.name, known)
        case: Literal["unlike", "like"] = "like" if near else "unlike"
        said = f"storage type `{kind}`"
        source.report(ConfigKeyUnknown(at=at, case=case, name=item.name, kind=said, nearest=near))
        return ()
    wanted = known[item.name].type
    if type(item.value) is not wanted:
        at = source.place(item.at + 2)  # behind the colon
        source.report(ConfigKeyType(at=at, name=item.name, expected=_SAID[wanted]))
        return ()
    return (deployment.Config(name=item.name, value=json.dumps(item.value)),)
