"""Storages, resources, apis and deployables: names resolved, clauses that Loom cannot honour yet named.

In: their declarations and the names around them. Out: IR declarations.
Never: whether they suit each other; that is `validate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

import msgspec

from loom.base import Feature, nearest
from loom.ir import deployment
from loom.ir.program import Isolation
from loom.lower.declarations.macros import scaffolded_subdomain
from loom.lower.declarations.routes import routes, statuses, with_scaffolded_routes
from loom.lower.declarations.storages import (
    CONNECTIONS,
    RESOURCE_KINDS,
    STORAGE_TYPES,
    ResourceKind,
    StorageType,
    config,
)
from loom.lower.problems.access import AuthNoUserBlock, AuthUiMisplaced
from loom.lower.problems.names import LinkingError
from loom.lower.problems.system import (
    ConfigKeyUnknown,
    DatasourceKnobUnwired,
    MissingClause,
    ResourceApiTargetKind,
    ResourceIndexUnknownColumn,
    ResourceIndexUnknownEntity,
    SettingType,
    UrlStyleUnknown,
)
from loom.lower.scope.source import Source
from loom.lower.signature import ContextSignature
from loom.parse import ast

_UNWIRED = ("keyPrefix", "ttl", "every", "retain", "readonly")
_TEXTS = ("schema", "tablePrefix")
_NUMBERS = ("ttl", "every", "retain")
_CHOICES = {"isolationLevel": tuple(Isolation), "shape": ("relational", "embedded", "document")}
_CONNECTIONS = ("service", "env", "secret", "literal")


class Known(msgspec.Struct, frozen=True):
    """What the system declares, by name."""

    contexts: Mapping[str, ContextSignature]
    storages: Mapping[str, str]
    resources: AbstractSet[str]
    apis: AbstractSet[str]
    channel_sources: AbstractSet[str]
    subdomains: Mapping[str, tuple[str, ...]]
    errors: AbstractSet[str]
    has_user: bool = False
    capabilities: AbstractSet[str] = frozenset()


def _linked(source: Source, ref: ast.NameRef | None, kind: str, known: Iterable[str]) -> str:
    """The name, when it is known; otherwise it is reported and nothing is linked."""
    if ref is None:
        return ""
    names = list(known)
    if ref.name in names:
        return ref.name
    near = nearest(ref.name, names)
    source.report(LinkingError(at=source.place(ref.at), kind=kind, name=ref.name, nearest=near))
    return ""


def _needs(source: Source, at: int, kind: str, name: str, clause: str) -> None:
    source.report(MissingClause(at=source.place(at), kind=kind, name=name, clause=clause))


def storage(source: Source, declared: ast.Storage) -> deployment.Storage:
    if declared.type is None:
        _needs(source, declared.at, "storage", declared.name, "type")
    kind = _linked(source, declared.type, "storage type", STORAGE_TYPES)
    if declared.type is not None and kind:
        _use(source, declared.type.at, STORAGE_TYPES[kind], f"storage type `{kind}`", "postgres")
    if declared.instance is not None:
        source.unsupported(declared.instance.at, "`instance:` of a storage")
    if declared.connection is not None and _is_known(source, declared.connection):
        _connected(source, declared.connection, kind)
    return deployment.Storage(name=declared.name, kind=kind, config=config(source, declared, kind))


def _connected(source: Source, written: ast.Connection, kind: str) -> None:
    """A service finds its database in one way; saying so changes nothing, and there is no other yet."""
    usual = CONNECTIONS.get(kind, {})
    if usual.get(written.kind) != written.value:
        instead = f'connection: env("{usual["env"]}")' if usual else ""
        source.unsupported(written.at, f"`connection: {written.kind}(…)` of a storage", instead)


def _is_known(source: Source, written: ast.Connection) -> bool:
    """Whether a connection is of a kind that there is; another is reported."""
    if written.kind in _CONNECTIONS:
        return True
    at, near = source.place(written.at), nearest(written.kind, _CONNECTIONS)
    source.report(LinkingError(at=at, kind="kind of connection", name=written.kind, nearest=near))
    return False


def _use(source: Source, at: int, known: StorageType | ResourceKind | None, what: str, instead: str = "") -> None:
    if known is None:
        source.unsupported(at, what, instead)
    elif known.feature is not None:
        source.use(at, known.feature)


def resource(source: Source, declared: ast.Resource, known: Known) -> deployment.Resource:
    for name, clause in (("for", declared.context), ("kind", declared.kind), ("use", declared.use)):
        if clause is None:
            _needs(source, declared.at, "resource", declared.name, name)
    context = _linked(source, declared.context, "context", known.contexts)
    kind = _linked(source, declared.kind, "kind of resource", RESOURCE_KINDS)
    if declared.kind is not None and kind:
        _use(source, declared.kind.at, RESOURCE_KINDS[kind], f"resource kind `{kind}`")
    for setting in declared.config:
        at = source.place(setting.at)
        source.report(ConfigKeyUnknown(at=at, case="unlike", name=setting.name, kind="this resource"))
    texts = _settings(source, declared)
    if declared.use is not None:
        source.declare(declared.use.at, declared.name, "use")
    if declared.use is not None and declared.use.name in known.apis and kind not in ("", "api"):
        at = source.place(declared.use.at)
        problem = ResourceApiTargetKind(at=at, resource=declared.name, api=declared.use.name, kind=kind)
        source.report(problem)
    return deployment.Resource(
        name=declared.name,
        context=context,
        kind=kind,
        storage=_linked(source, declared.use, "storage", (*known.storages, *known.apis)),
        schema_name=texts.get("schema", ""),
        table_prefix=texts.get("tablePrefix", ""),
        indexes=_indexes(source, declared, known.contexts.get(context)),
        isolation=Isolation(texts["isolationLevel"]) if "isolationLevel" in texts else None,
    )


def _settings(source: Source, declared: ast.Resource) -> dict[str, str]:
    texts: dict[str, str] = {}
    for setting in declared.settings:
        at = source.place(setting.at)
        if expected := _expected(setting):
            source.report(SettingType(at=at, clause=setting.name, expected=expected))
        elif setting.name in _UNWIRED:
            source.report(DatasourceKnobUnwired(at=at, name=setting.name))
        elif setting.name not in _TEXTS and not _is_level_of_state(setting, declared):
            source.unsupported(setting.at, f"`{setting.name}:` of a resource")
        else:
            texts[setting.name] = setting.value.name if isinstance(setting.value, ast.NameRef) else str(setting.value)
            source.declare(setting.at, declared.name, setting.name)
    return texts


def _is_level_of_state(setting: ast.Setting, declared: ast.Resource) -> bool:
    return setting.name == "isolationLevel" and declared.kind is not None and declared.kind.name == "state"


def _expected(setting: ast.Setting) -> str:
    """What the setting of a resource takes; empty where that was written."""
    value, choices = setting.value, _CHOICES.get(setting.name, ())
    if choices:
        is_fitting, expected = isinstance(value, ast.NameRef) and value.name in choices, f"one of {', '.join(choices)}"
    elif setting.name in _NUMBERS:
        is_fitting, expected = isinstance(value, int) and not isinstance(value, bool), "a number"
    elif setting.name == "readonly":
        is_fitting, expected = isinstance(value, bool), "`true`"
    else:
        is_fitting, expected = isinstance(value, str), "a string"
    return "" if is_fitting else expected


def _indexes(
    source: Source, declared: ast.Resource, context: ContextSignature | None
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if context is None:
        return ()
    found = []
    entities = {part.name: part.fields for owner in context.aggregates for part in owner.parts}
    entities |= {item.name: item.fields for item in context.aggregates}
    for index in declared.indexes:
        fields = entities.get(index.entity)
        if fields is None:
            at = source.place(index.at)
            near = nearest(index.entity, entities)
            problem = ResourceIndexUnknownEntity(at=at, context=context.name, name=index.entity, nearest=near)
            source.report(problem)
        elif all([_is_column(source, index.entity, column, fields) for column in index.columns]):
            found.append((index.entity, tuple(column.name for column in index.columns)))
    return tuple(found)


def _is_column(source: Source, entity: str, column: ast.NameRef, fields: tuple[str, ...]) -> bool:
    """What is no value of its own, a list of value objects say, is found when the tables are planned."""
    if column.name in fields or column.name == "id":
        return True
    near, at = nearest(column.name, fields), source.place(column.at)
    source.report(ResourceIndexUnknownColumn(at=at, entity=entity, name=column.name, nearest=near))
    return False


def api(source: Source, declared: ast.Api, known: Known) -> deployment.Api:
    scaffolded = scaffolded_subdomain(source, declared, known.subdomains, known.capabilities)
    if declared.source is None and not declared.macros:
        _needs(source, declared.at, "api", declared.name, "from")
    style = declared.url_style
    if style is not None and style.name not in ("literal", "resource"):
        source.report(UrlStyleUnknown(at=source.place(style.at), name=style.name))
    subdomain = _linked(source, declared.source, "subdomain", known.subdomains)
    own = known.subdomains.get(scaffolded, ())
    declared = with_scaffolded_routes(declared, [known.contexts[name] for name in own if name in known.contexts])
    return deployment.Api(
        name=declared.name,
        subdomain=subdomain or scaffolded,
        resource_style=style is not None and style.name == "resource",
        routes=routes(source, declared, known.contexts),
        statuses=statuses(source, declared, known.errors),
    )


def deployable(source: Source, declared: ast.Deployable, known: Known) -> deployment.Deployable:
    if declared.platform is None:
        _needs(source, declared.at, "deployable", declared.name, "platform")
    elif "@" in declared.platform.name:
        source.unsupported(declared.platform.at, "a platform pinned to a version")
    _declare_values(source, declared)
    _check_auth(source, declared, known)
    return deployment.Deployable(
        name=declared.name,
        platform=declared.platform.name.partition("@")[0] if declared.platform else "",
        contexts=_links(source, declared.contexts, "context", known.contexts),
        resources=_links(source, declared.data_sources, "resource", known.resources),
        serves=_links(source, declared.serves, "api", known.apis),
        port=_port(source, declared.port),
        authenticated=declared.auth is not None,
        channels=_channels(source, declared, known),
        persistence=declared.persistence.name if declared.persistence is not None else "",
        layout=declared.layout.name if declared.layout is not None else "",
    )


def _channels(source: Source, declared: ast.Deployable, known: Known) -> tuple[str, ...]:
    if declared.channels:
        source.use(declared.channels[0].at, Feature.CHANNEL_BINDINGS)
    for item in declared.channels:
        source.declare(item.at, declared.name, "channels", item.name)
    return _links(source, declared.channels, "channelSource", known.channel_sources)


def _check_auth(source: Source, declared: ast.Deployable, known: Known) -> None:
    if declared.auth is None:
        return
    at = source.place(declared.auth.at)
    source.use(declared.auth.at, Feature.AUTHENTICATED)
    if declared.auth.name == "ui":
        source.report(AuthUiMisplaced(at=at, deployable=declared.name))
    elif not known.has_user:
        source.report(AuthNoUserBlock(at=at, deployable=declared.name))


def _declare_values(source: Source, declared: ast.Deployable) -> None:
    """Where the values stand that `validate` finds fault with."""
    clauses: dict[str, ast.NameRef | ast.Setting | None] = {
        "platform": declared.platform,
        "port": declared.port,
        "persistence": declared.persistence,
        "layout": declared.layout,
    }
    for clause, value in clauses.items():
        if value is not None:
            source.declare(value.at, declared.name, clause)
    for clause, items in (("dataSources", declared.data_sources), ("serves", declared.serves)):
        for item in items:
            source.declare(item.at, declared.name, clause, item.name)


def _links(source: Source, refs: Iterable[ast.NameRef], kind: str, known: Iterable[str]) -> tuple[str, ...]:
    names = list(known)
    found = (_linked(source, ref, kind, names) for ref in refs)
    return tuple(dict.fromkeys(name for name in found if name))


def _port(source: Source, setting: ast.Setting | None) -> int | None:
    if setting is None:
        return None
    if isinstance(setting.value, bool) or not isinstance(setting.value, int):
        source.report(SettingType(at=source.place(setting.at), clause="port", expected="a number"))
        return None
    return setting.value
