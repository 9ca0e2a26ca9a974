"""Storages besides the database: their features, and what may be set of each.

In: a storage as declared. Out: its settings, checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, NamedTuple

from loom.base import Feature, nearest
from loom.ir import deployment
from loom.lower.problems.system import ConfigKeyRequired, ConfigKeyType, ConfigKeyUnknown
from loom.lower.scope.source import Source
from loom.parse import ast

STORAGES: Mapping[str, Feature] = {
    "redis": Feature.STORAGE_REDIS,
    "rabbitmq": Feature.STORAGE_RABBITMQ,
    "kafka": Feature.STORAGE_KAFKA,
    "s3": Feature.STORAGE_S3,
    "localDisk": Feature.STORAGE_LOCAL_DISK,
    "smtp": Feature.STORAGE_SMTP,
    "ses": Feature.STORAGE_SES,
    "sendgrid": Feature.STORAGE_SENDGRID,
    "restApi": Feature.STORAGE_REST_API,
}
RESOURCES: Mapping[str, Feature] = {
    "eventLog": Feature.EVENT_LOG_RESOURCES,
    "snapshot": Feature.SNAPSHOT_RESOURCES,
    "objectStore": Feature.OBJECT_STORE_RESOURCES,
    "queue": Feature.QUEUE_RESOURCES,
    "api": Feature.API_RESOURCES,
    "mailer": Feature.MAILER_RESOURCES,
}


class Key(NamedTuple):
    type: type[str] | type[int] | type[bool]
    required: bool = False


_TEXT, _NUMBER, _FLAG = Key(str), Key(int), Key(bool)
_KEYS: Mapping[str, Mapping[str, Key]] = {
    "s3": {"bucket": Key(str, required=True), "region": _TEXT, "endpoint": _TEXT, "pathStyle": _FLAG},
    "localDisk": {"path": _TEXT},
    "redis": {"database": _NUMBER},
    "rabbitmq": {"vhost": _TEXT},
    "kafka": {"partitions": _NUMBER, "replication": _NUMBER},
    "smtp": {"from": _TEXT, "host": _TEXT, "port": _NUMBER},
    "ses": {"from": _TEXT, "region": _TEXT},
    "sendgrid": {"from": _TEXT},
    "restApi": {"baseUrl": _TEXT, "timeoutSeconds": _NUMBER},
}
_SAID = {str: "a string", int: "a number", bool: "`true` or `false`"}


def config(source: Source, declared: ast.Storage, kind: str) -> tuple[deployment.Config, ...]:
    """The settings that the type of the storage has."""
    known = _KEYS.get(kind, {})
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
        source.report(ConfigKeyType(at=at, name=item.name, expected=_SAID[wanted]))
        return ()
    return (deployment.Config(name=item.name, value=json.dumps(item.value)),)
