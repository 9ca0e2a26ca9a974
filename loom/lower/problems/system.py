"""Mistakes in the declarations of a system."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity, Whole


class TopLevelDomainNeedsSingleSystem(Diagnostic):
    """A deployable, storage or the like stands outside a system, and there is not exactly one to join."""

    needs_whole: ClassVar[Whole] = "system"
    message = "{kind} `{name}` has no single system to join"
    help = "declare exactly one `system`"

    kind: str
    name: str


class DuplicateDeclaration(Diagnostic):
    """Two declarations of one kind in a system have the same name."""

    message = "{kind} `{name}` is declared twice"
    help = "rename one of them"

    kind: str
    name: str


class MissingClause(Diagnostic):
    """A declaration lacks a clause that it needs."""

    message = "{kind} `{name}` needs `{clause}:`"
    help = "add `{clause}: …`"

    kind: str
    name: str
    clause: str


class SettingType(Diagnostic):
    """A clause has a value of the wrong type."""

    message = "`{clause}` takes {expected}"
    help = "write {expected}"

    clause: str
    expected: str


class ConfigKeyUnknown(Diagnostic):
    """A configuration key that the type does not know."""

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[dict[str, str]] = {
        "unlike": "`{name}` is no setting of {kind}",
        "like": "`{name}` is no setting of {kind}",
    }
    help: ClassVar[dict[str, str]] = {"unlike": "remove it", "like": "did you mean `{nearest}`?"}

    case: Literal["unlike", "like"]
    name: str
    kind: str
    nearest: str = ""


class ConfigKeyRequired(Diagnostic):
    """A storage lacks a setting that its type cannot be without."""

    message = "storage `{storage}` of type `{kind}` needs the setting `{name}`"
    help = "add it: `config: {{ {name}: … }}`"

    storage: str
    kind: str
    name: str


class ConfigKeyType(Diagnostic):
    """A setting of a storage has a value of another type."""

    message = "the setting `{name}` is {expected}"
    help = "write {expected}"

    name: str
    expected: str


class ResourceApiTargetKind(Diagnostic):
    """A resource that uses an api of the system is of kind `api`."""

    message = "`{resource}` uses the api `{api}` and is of kind `{kind}`"
    help = "write `kind: api`, or use a storage"

    resource: str
    api: str
    kind: str


class ResourceIndexUnknownEntity(Diagnostic):
    """`index:` names no aggregate of the resource's context."""

    message = "context `{context}` has no aggregate `{name}`"
    help = "did you mean `{nearest}`?"

    context: str
    name: str
    nearest: str


class ResourceIndexUnknownColumn(Diagnostic):
    """`index:` names a field that the aggregate does not have."""

    message = "`{entity}` has no column `{name}`"
    help = "did you mean `{nearest}`?"

    entity: str
    name: str
    nearest: str


class UrlStyleUnknown(Diagnostic):
    """An api names a style of URLs that does not exist."""

    message = "unknown url style `{name}`"
    help = "write `literal` or `resource`"

    name: str


class DatasourceKnobUnwired(Diagnostic):
    """A clause of a resource is understood but has no effect."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{name}:` has no effect"
    help = "remove it"

    name: str
