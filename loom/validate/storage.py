"""Resources: whether each deployable has what its contexts store in, and nothing else.

In: the system, and the signatures of its contexts. Out: diagnostics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from loom.base import Diagnostic, snake, words
from loom.ir import deployment
from loom.lower.declarations.storages import RESOURCE_KINDS, STORAGE_TYPES
from loom.lower.signature import ContextSignature
from loom.validate.problems import (
    DatasourceAmbiguous,
    DatasourceUnused,
    DuplicateSchema,
    FileFieldNeedsObjectStorage,
    PersistenceModeUnsupported,
    ResourceIndexNonState,
    ResourceMissingCapability,
    SchemaName,
)
from loom.validate.where import Where

_STATE = "state"
_EVENT_LOG = "eventLog"
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,62}")


def capabilities(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    kinds = {item.name: item.kind for item in system.storages}
    for item in system.resources:
        wanted = RESOURCE_KINDS.get(item.kind)
        able = wanted.able if wanted is not None else ()
        kind = kinds.get(item.storage, "")
        # One of a type that Loom knows nothing of has been told of where it stands; a broker is known, and no database.
        if able and kind not in able and STORAGE_TYPES.get(kind) is not None:
            names = " or ".join(f"`{name}`" for name in able)
            yield ResourceMissingCapability(at=where(item.name, "use"), type=kind, kind=item.kind, able=names)


def indexes(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    for item in system.resources:
        if item.indexes and item.kind not in ("", _STATE):
            yield ResourceIndexNonState(at=where(item.name), kind=item.kind)


def schema_names(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    for item in system.resources:
        if item.schema_name and not _is_free_schema(item.schema_name):
            yield SchemaName(at=where(item.name, "schema"), name=item.schema_name, what="schema")
        if item.table_prefix and not _IDENTIFIER.fullmatch(item.table_prefix):
            yield SchemaName(at=where(item.name, "tablePrefix"), name=item.table_prefix, what="table prefix")


def _is_free_schema(name: str) -> bool:
    reserved = name in ("public", "information_schema") or name.startswith("pg_")
    return _IDENTIFIER.fullmatch(name) is not None and not reserved


def kept(context: ContextSignature) -> tuple[str, ...]:
    """The kinds of resources that a context cannot be without: for rows, for logs of events."""
    rows = any(not item.sourced for item in context.aggregates)
    rows |= context.folding or any(item.stateful and not item.sourced for item in context.workflows)
    logs = any(item.sourced for item in context.aggregates) or any(item.sourced for item in context.workflows)
    return (*([_STATE] if rows else []), *([_EVENT_LOG] if logs else []))


def needs(system: deployment.System, signatures: Mapping[str, ContextSignature], where: Where) -> Iterator[Diagnostic]:
    """Whatever a context keeps is kept in one resource of that kind, in each deployable that hosts it."""
    resources = {item.name: item for item in system.resources}
    declared = {(item.context, item.kind): item.name for item in reversed(system.resources)}
    for deployable in system.deployables:
        listed = [resources[name] for name in deployable.resources if name in resources]
        for context, kind in ((name, kind) for name in deployable.contexts for kind in (_STATE, _EVENT_LOG)):
            own = [item for item in listed if item.context == context and item.kind == kind]
            if len(own) > 1:
                yield _ambiguous(deployable, context, own, where)
            if not own and context in signatures and kind in kept(signatures[context]):
                yield _missing(deployable, context, kind, declared.get((context, kind), ""), where)


def files(system: deployment.System, signatures: Mapping[str, ContextSignature], where: Where) -> Iterator[Diagnostic]:
    """A context with fields of files needs an object store in each deployable that hosts it."""
    stores = {item.name: item.context for item in system.resources if item.kind == "objectStore"}
    for deployable in system.deployables:
        listed = {stores[name] for name in deployable.resources if name in stores}
        for context in deployable.contexts:
            if context in signatures and signatures[context].files and context not in listed:
                at = where(deployable.name)
                yield FileFieldNeedsObjectStorage(at=at, deployable=deployable.name, context=context)


def _missing(deployable: deployment.Deployable, context: str, kind: str, resource: str, where: Where) -> Diagnostic:
    return PersistenceModeUnsupported(
        at=where(deployable.name),
        case="list" if resource else "declare",
        deployable=deployable.name,
        context=context,
        kind=kind,
        resource=resource,
    )


def _ambiguous(
    deployable: deployment.Deployable, context: str, own: list[deployment.Resource], where: Where
) -> Diagnostic:
    return DatasourceAmbiguous(
        at=where(deployable.name, "dataSources", own[1].name),
        deployable=deployable.name,
        context=context,
        kind=own[0].kind,
        first=own[0].name,
        second=own[1].name,
    )


def unused(system: deployment.System, signatures: Mapping[str, ContextSignature], where: Where) -> Iterator[Diagnostic]:
    resources = {item.name: item for item in system.resources}
    for deployable in system.deployables:
        for name in deployable.resources if deployable.contexts else ():  # one that hosts nothing has been told of
            item = resources.get(name)
            if item is None or not item.context:
                continue
            if item.context not in deployable.contexts or _is_idle(item, signatures.get(item.context)):
                at = where(deployable.name, "dataSources", name)
                yield DatasourceUnused(at=at, deployable=deployable.name, resource=name)


def _is_idle(item: deployment.Resource, context: ContextSignature | None) -> bool:
    """Whether its context keeps nothing of that kind; a snapshot is one of a log."""
    kind = _EVENT_LOG if item.kind == "snapshot" else item.kind
    return kind in (_STATE, _EVENT_LOG) and (context is None or kind not in kept(context))


def schemas(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    """Each context of a deployable has a schema of its own."""
    resources = {item.name: item for item in system.resources}
    for deployable in system.deployables:
        chosen = {
            item.context: item.schema_name
            for name in deployable.resources
            if (item := resources.get(name)) is not None and item.kind == _STATE and item.schema_name
        }
        taken: dict[str, str] = {}
        for context in deployable.contexts:
            name = chosen.get(context) or snake(words(context))
            other = taken.setdefault(name, context)
            if other != context:
                at = where(deployable.name)
                yield DuplicateSchema(at=at, first=other, second=context, deployable=deployable.name, name=name)
