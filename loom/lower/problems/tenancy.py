"""Mistakes in whose rows are whose: tenants, and policies over rows."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity, Whole


class TenancyDuplicate(Diagnostic):
    """A model says once who its tenants are."""

    message = "a second `tenancy`"
    help = "remove it"


class TenancyClaimTypeMismatch(Diagnostic):
    """The claim after `by` holds the id of a row of the registry: a string, a guid, or an id of that aggregate."""

    message = "the claim `{claim}` is {found}, and cannot hold the id of a `{registry}`"
    help = "declare it as `{claim}: string`"

    claim: str
    found: str
    registry: str


class TenancyRegistryDuplicate(Diagnostic):
    """Two aggregates are the tree of tenants.

    `with tenantRegistry` belongs on the aggregate that `tenancy` names, and on no other.
    """

    message = "`tenantRegistry` is on several aggregates: {names}"
    help = "keep it on `{registry}` alone"

    names: str
    registry: str


class TenancyRegistryNotTarget(Diagnostic):
    """`with tenantRegistry` stands on another aggregate than the one that `tenancy` names."""

    message = "`{name}` is not the registry of tenants: `tenancy` names `{registry}`"
    help = "move `with tenantRegistry` to `{registry}`"

    name: str
    registry: str


class TenancyRegistryMarked(Diagnostic):
    """The registry holds the tenants themselves: its rows are neither owned by one nor shared by all."""

    message = "`{name}` holds the tenants, and is marked `{mark}`"
    help = "remove `{mark}`"

    name: str
    mark: str


class TenancyStanceUnmarked(Diagnostic):
    """Where there are tenants, every aggregate says whether its rows belong to one."""

    message = "`{name}` does not say whose its rows are"
    help = "write `with tenantOwned` or `crossTenant` after its name"

    name: str


class TenancyConflictingStance(Diagnostic):
    """Rows belong to one tenant or to all of them."""

    message = "`{name}` is both `crossTenant` and `tenantOwned`"
    help = "remove one of them"

    name: str


class TenantOwnedClaimType(Diagnostic):
    """Rows note their tenant as text, so the claim that says whose they are has to be a string."""

    message = "`{name}` belongs to tenants, and the claim `{claim}` is {found}"
    help = "declare it as `{claim}: string`"

    name: str
    claim: str
    found: str


class TenantOwnedWithoutTenancy(Diagnostic):
    """Rows belong to a tenant, and the model does not say who the tenants are."""

    needs_whole: ClassVar[Whole] = "system"
    message = "`{name}` is `tenantOwned`, and there are no tenants"
    help = "declare `tenancy by user.claim of Registry` in the system"

    name: str


class TenantRegistryWithoutTenancy(Diagnostic):
    """An aggregate is the registry of tenants, and the model does not say that it has tenants."""

    needs_whole: ClassVar[Whole] = "system"
    message = "`{name}` is `tenantRegistry`, and there are no tenants"
    help = "declare `tenancy by user.claim of {name}` in the system"

    name: str


class CrossTenantWithoutTenancy(Diagnostic):
    """Rows are shared by all tenants, and there are none."""

    needs_whole: ClassVar[Whole] = "system"
    severity: ClassVar[Severity] = Severity.WARNING
    message = "`crossTenant` has no effect on `{name}`: there are no tenants"
    help = "remove it"

    name: str


class UniqueMissingTenantScope(Diagnostic):
    """A key without the tenant is unique over all tenants: one learns from a refusal what another one has."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "the key ({columns}) of `{name}` is shared by all tenants"
    help = "write `unique (tenantId, {columns})`"

    columns: str
    name: str


class PolicyUnknownAggregate(Diagnostic):
    """`allow` names no aggregate of the context."""

    message = "unknown aggregate `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class PolicyDenyUnknownAggregate(Diagnostic):
    """`deny` names no aggregate of the context."""

    message = "unknown aggregate `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class PolicyTargetNotTenantOwned(Diagnostic):
    """`allow` says how far a tenant sees, and the rows of this aggregate belong to none."""

    message = "the rows of `{name}` belong to no tenant"
    help = "write `with tenantOwned` after its name, or remove the rule"

    name: str


class PolicyDuplicateTarget(Diagnostic):
    """Two rules say how far one may read, or write, the rows of one aggregate."""

    message = "a second rule for {doing} `{name}`"
    help = "keep one"

    doing: str
    name: str


class PolicyLevelRequiresHierarchy(Diagnostic):
    """`deep` and `global` follow the tree of tenants, and the registry forms none."""

    message = "`{level}` needs a tree of tenants"
    help = "write `with tenantRegistry` after `{registry}`, or `local` here"

    level: str
    registry: str


class PolicyWriteGlobalInvalid(Diagnostic):
    """Nobody writes rows above its own place in the tree of tenants."""

    message = "nobody writes the rows of `{name}` globally"
    help = "write `allow write deep`"

    name: str


class PolicyWriteWiderThanRead(Diagnostic):
    """What can be written has to be read first, and reading is narrower; without a rule it is `local`."""

    message = "the rows of `{name}` are written `{write}` and read `{read}` only"
    help = "add `allow {write} on {name}`"

    name: str
    write: str
    read: str


class PolicyDenyDuplicate(Diagnostic):
    """One `deny` denies all."""

    message = "{doing} `{name}` is denied already"
    help = "remove it"

    doing: str
    name: str


class PolicyDenyShadowsAllow(Diagnostic):
    """`deny` wins over `allow`, whatever their order."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "this rule has no effect: {doing} `{name}` is denied"
    help = "remove one of them"

    doing: str
    name: str


class FieldMaskNotCurrentUser(Diagnostic):
    """Whether a field is masked depends on who asks and on nothing else.

    It is decided once for all rows of an answer, so it can read neither the row nor what it holds.
    """

    message = "the mask of `{name}` cannot read {what}"
    help = "ask for claims and permissions of `currentUser`"

    name: str
    what: str


class FieldMaskUnreadable(Diagnostic):
    """A mask hides a value in answers, and this field is in none."""

    message = "`{name}` is `{access}`, and never answered"
    help = "remove `mask unless`"

    name: str
    access: Literal["internal", "secret"]
