"""Every diagnostic of validation, one class each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity


class NameCollision(Diagnostic):
    """Two names differ as written and are one once a target spells them.

    Files, classes, columns and members are made from the words of a name, whatever its casing.
    """

    message = "`{name}` and `{other}` in {owner} are the same words"
    help = "rename one of them"

    name: str
    other: str
    owner: str


class CyclicDerived(Diagnostic):
    """Derived values are computed from each other in a circle."""

    message = "derived `{name}` needs itself: {path}"
    help = "compute one of them from stored fields"

    name: str
    path: str


class EndlessRecursion(Diagnostic):
    """A function or operation calls itself, directly or through others, on every path: no call comes back.

    Recursion that one path leaves is not decided here, even if that path is never taken.
    """

    message = "`{name}` calls itself on every path: {path}"
    help = "let one path return without the call"

    name: str
    path: str


class CyclicValueObject(Diagnostic):
    """A value object holds itself, directly or through others, and so would never end."""

    message = "value object `{name}` holds itself: {path}"
    help = "make one of them an aggregate and refer to it by id"

    name: str
    path: str


class CyclicContainment(Diagnostic):
    """A part holds itself, directly or through others: there would be no table for its rows."""

    message = "part `{name}` of `{owner}` holds itself: {path}"
    help = "make it an aggregate and refer to it by id"

    name: str
    owner: str
    path: str


class SecretExposed(Diagnostic):
    """A derived value, or a row of a projection, is made of a `secret` or `internal` field and would show it."""

    message: ClassVar[dict[str, str]] = {
        "derived": "derived `{name}` shows the {access} field `{field}`",
        "select": "projection `{name}` shows the {access} field `{field}`",
    }
    help: ClassVar[dict[str, str]] = {
        "derived": "compute it where it is needed, in an operation or function",
        "select": "select something else",
    }

    case: Literal["derived", "select"]
    name: str
    field: str
    access: str


class UnknownPlatform(Diagnostic):
    """A deployable names a platform that no backend builds."""

    message = "unknown platform `{name}`"
    help = "the platforms are {known}"

    name: str
    known: str


class DuplicateServiceSlug(Diagnostic):
    """Two deployables have the same slug, or one has that of something that stands beside every system.

    The slug names the service's folder and its place in the compose file, where `db` is the database.
    """

    message: ClassVar[Mapping[str, str]] = {
        "deployable": "deployables `{first}` and `{second}` have the slug `{slug}`",
        "reserved": "deployable `{second}` has the slug `{slug}`, which {first} has already",
    }
    help: ClassVar[Mapping[str, str]] = {"deployable": "rename one of them", "reserved": "rename the deployable"}

    case: Literal["deployable", "reserved"]
    first: str
    second: str
    slug: str


class DuplicateHostPort(Diagnostic):
    """A port of the host is published twice, as written or by default.

    Prometheus has 9090 and Jaeger 16686 beside every system.
    """

    message = "`{first}` and `{second}` both publish port {port}"
    help = "give one of them another `port:`"

    first: str
    second: str
    port: int


class PlatformKnobOutOfMenu(Diagnostic):
    """`persistence:` or `directoryLayout:` names something that the platform does not offer."""

    message = "platform `{platform}` has no `{value}`"
    help = "known are {known}; leave the clause out for the first"

    platform: str
    value: str
    known: str


class PlatformKnobStyleLayoutMismatch(Diagnostic):
    """A layout that the platform offers, but not with the `persistence:` that is chosen."""

    message = "services with `{style}` are not laid out `{layout}`"
    help = "known are {known}"

    style: str
    layout: str
    known: str


class PortOutOfRange(Diagnostic):
    """A port is outside of 1 to 65535."""

    message = "port {port} of `{name}` does not exist"
    help = "write a number from 1 to 65535"

    name: str
    port: int


class PersistenceModeUnsupported(Diagnostic):
    """A deployable hosts a context that stores aggregates, and lists no resource to store them in."""

    message = "`{deployable}` hosts `{context}` without a resource of kind `{kind}`"
    help: ClassVar[dict[str, str]] = {
        "list": "add `{resource}` to its `dataSources:`",
        "declare": "declare `resource … {{ for: {context}, kind: {kind}, use: … }}` and list it in `dataSources:`",
    }

    case: Literal["list", "declare"]
    deployable: str
    context: str
    kind: str
    resource: str


class FileFieldNeedsObjectStorage(Diagnostic):
    """A deployable hosts a context with `File` fields, and lists no object store that keeps what is in them."""

    message = "`{deployable}` hosts `{context}`, which keeps files, without a resource of kind `objectStore`"
    help = "declare `resource … {{ for: {context}, kind: objectStore, use: … }}` and list it in `dataSources:`"

    deployable: str
    context: str


class DatasourceUnused(Diagnostic):
    """A deployable lists a resource that none of its contexts needs."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "nothing in `{deployable}` needs `{resource}`"
    help = "remove it from `dataSources:`"

    deployable: str
    resource: str


class DatasourceAmbiguous(Diagnostic):
    """A deployable lists two resources of one kind for one context."""

    message = "`{deployable}` lists `{first}` and `{second}` for the {kind} of `{context}`"
    help = "keep one of them"

    deployable: str
    context: str
    kind: str
    first: str
    second: str


class ResourceMissingCapability(Diagnostic):
    """A storage cannot serve the kind of resource that uses it."""

    message = "a storage of type `{type}` cannot serve `kind: {kind}`"
    help = "use a storage of type {able}"

    type: str
    kind: str
    able: str


class ResourceIndexNonState(Diagnostic):
    """`index:` stands on a resource that has no tables."""

    message = "`index:` needs `kind: state`, not `{kind}`"
    help = "remove the indexes"

    kind: str


class SchemaName(Diagnostic):
    """A schema or table prefix is no plain identifier, or belongs to the database or to Loom."""

    message = "`{name}` cannot be a {what}"
    help = "use lower-case letters, digits and `_`, other than `public` and names that begin with `pg_`"

    name: str
    what: str


class DuplicateSchema(Diagnostic):
    """Two contexts of one deployable would share a schema."""

    message = "`{first}` and `{second}` in `{deployable}` have the schema `{name}`"
    help = "rename a context, or set `schema:` on one of their resources"

    first: str
    second: str
    deployable: str
    name: str


class ContextUnhosted(Diagnostic):
    """No deployable hosts a context, so nothing is generated for it."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "no deployable hosts context `{name}`"
    help = "add it to the `contexts:` of a deployable"

    name: str


class DeployableEmpty(Diagnostic):
    """A deployable hosts no context and so does nothing."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{name}` hosts no context"
    help = "add `contexts: […]`"

    name: str


class ApiUnhosted(Diagnostic):
    """A deployable serves an api whose subdomain it hosts nothing of."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{deployable}` serves `{api}` and hosts nothing of `{subdomain}`"
    help = "remove it from `serves:`, or host one of its contexts"

    deployable: str
    api: str
    subdomain: str


class SubdomainConflictingUrlstyle(Diagnostic):
    """Two apis give one subdomain different url styles."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{first}` and `{second}` give `{subdomain}` different url styles"
    help = "give both the same `urlStyle:`"

    first: str
    second: str
    subdomain: str


class GuardPrincipalWithoutAuth(Diagnostic):
    """A gate or a body reads `currentUser`, and a deployable that hosts it answers anybody.

    Nothing is known of callers there, so that the gate would let nobody pass.
    """

    message = "`currentUser` is read here, and `{deployable}` does not ask who calls"
    help = "write `auth: required` into `{deployable}`"

    deployable: str


class StampPrincipalWithoutAuth(Diagnostic):
    """A stamp notes who saved something, and a deployable that hosts it does not know who calls."""

    message = "a stamp reads `currentUser`, and `{deployable}` does not ask who calls"
    help = "write `auth: required` into `{deployable}`"

    deployable: str


class ContextFilterUnsupported(Diagnostic):
    """A filter or find chooses rows by who asks, and a deployable that hosts it does not know who calls."""

    message = "rows are chosen by `currentUser`, and `{deployable}` does not ask who calls"
    help = "write `auth: required` into `{deployable}`"

    deployable: str


class PersistedTableCollision(Diagnostic):
    """The instances of a workflow would be stored in a table that something else of its context has.

    A table is the plural of a name in snake case: `slaSweep` is stored in `sla_sweeps`.
    """

    message = "workflow `{workflow}` and {other} are both stored as `{name}`"
    help = "rename the workflow"

    workflow: str
    other: str
    name: str


class ReactorGateUnsatisfiable(Diagnostic):
    """An event brings about something whose gate asks for a claim, and nobody asks then but the system.

    The system has no claims; only `currentUser.isSystem` is true of it.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message = "what `{event}` brings about cannot pass the gate of {owner}: `{condition}`"
    help = "let the system pass: `… || currentUser.isSystem`"

    event: str
    owner: str
    condition: str
