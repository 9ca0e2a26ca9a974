"""Mistakes in what a model says about people: users, authentication, permissions."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class DuplicateUserBlock(Diagnostic):
    """A model says once what is known of those who ask."""

    message = "a second `user` block"
    help = "put all claims into one"


class DuplicateAuthBlock(Diagnostic):
    """A model says once how those who ask show who they are."""

    message = "a second `auth` block"
    help = "put all clauses into one"


class UserDuplicateField(Diagnostic):
    """Two claims of `user` have one name."""

    message = "`user` has the claim `{name}` already"
    help = "rename one of them"

    name: str


class ReservedClaim(Diagnostic):
    """Everybody has this claim without saying so: `isSystem` is true where nobody asks, `causedBy` is who began it."""

    message = "the claim `{name}` is there already"
    help = "remove it, or choose another name"

    name: str


class ClaimType(Diagnostic):
    """A claim is a scalar, an enum of the root or the id of an aggregate, or several of them.

    The claim `permissions` is `string[]`, since it holds names of permissions.
    """

    message = "the claim `{name}` cannot be {found}"
    help = "declare it as {expected}"

    name: str
    found: str
    expected: str


class MissingUserBlock(Diagnostic):
    """`currentUser` is read, and the model does not say what is known of those who ask."""

    needs_whole: ClassVar[Whole] = "system"
    message = "`currentUser` means nothing without a `user` block"
    help = "declare what is known of those who ask: `user {{ role: string }}`"


class CurrentuserNotInRequestScope(Diagnostic):
    """`currentUser` is read where nobody asks.

    Derived values, invariants, checks and functions are also computed when a timer runs or something is loaded,
    and unit tests run without anybody. Gates, stamps, defaults, filters, finds and the bodies of operations and
    workflows may read it.
    """

    message = "`currentUser` cannot be read in {body}"
    help = "give the value as a parameter, or move the condition into `requires`"

    body: str


class OrgpathWithoutTenancy(Diagnostic):
    """`currentUser.orgPath` and `.rootOrg` are places in the tree of tenants, and the model has no tenants."""

    needs_whole: ClassVar[Whole] = "system"
    message = "`currentUser.{name}` needs tenants"
    help = "declare `tenancy by user.claim of Registry`"

    name: str


class UnknownPermission(Diagnostic):
    """`permissions.x` names no permission of the subdomain."""

    message = "unknown permission `{name}`: {where}"
    help = "did you mean `{nearest}`?"

    name: str
    where: str
    nearest: str


class DuplicatePermission(Diagnostic):
    """A subdomain declares a permission twice."""

    message = "the permission `{name}` is declared twice in `{subdomain}`"
    help = "remove one of them"

    name: str
    subdomain: str


class PermissionImpliesSelf(Diagnostic):
    """A permission includes itself anyway, and none may include one that includes it."""

    message = "the permission `{name}` implies itself: {path}"
    help = "remove one `implies`"

    name: str
    path: str


class PermissionImpliesUnknown(Diagnostic):
    """`implies` names no permission of the subdomain."""

    message = "`{name}` implies the unknown permission `{implied}`"
    help = "did you mean `{nearest}`?"

    name: str
    implied: str
    nearest: str


class AuthWithoutUser(Diagnostic):
    """`auth` says how somebody shows who it is, and nothing says what is known of them then."""

    needs_whole: ClassVar[Whole] = "system"
    message = "`auth` needs a `user` block"
    help = "declare what is known of those who ask: `user {{ role: string }}`"


class AuthNoUserBlock(Diagnostic):
    """A deployable wants to know who asks, and the model does not say what is known of them."""

    needs_whole: ClassVar[Whole] = "system"
    message = "`auth: required` of `{deployable}` needs a `user` block"
    help = "declare what is known of those who ask: `user {{ role: string }}`"

    deployable: str


class AuthUnknownProvider(Diagnostic):
    """`provider:` names nobody whose tokens Loom knows how to read.

    `google`, `microsoft` and `entra` have an issuer of their own; `auth0`, `okta`, `zitadel`, `cognito`, `keycloak`,
    and `custom` need one: `oidc { issuer: "https://…", clientId: env("CLIENT_ID") }` beside `provider:` or alone.
    """

    message = "unknown provider `{name}`"
    help = "{hint}"

    name: str
    hint: str


class AuthMissingIssuer(Diagnostic):
    """Everybody who runs this provider has an issuer of their own, and it is not said."""

    message = "the provider `{name}` needs an issuer"
    help = 'add `oidc {{ issuer: env("OIDC_ISSUER"), clientId: … }}`'

    name: str


class AuthMissingClientId(Diagnostic):
    """`oidc { … }` without `clientId`: nobody can tell whether a token is meant for this system."""

    message = "`oidc` needs a `clientId`"
    help = 'write `clientId: env("OIDC_CLIENT_ID")`'


class AuthUnknownClaimField(Diagnostic):
    """`claims:` fills a claim that `user` does not declare."""

    message = "`user` has no claim `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class AuthUiMisplaced(Diagnostic):
    """`auth: ui` is for user interfaces; a service either asks who calls, or does not."""

    message = "`auth: ui` on the service `{deployable}`"
    help = "write `auth: required`"

    deployable: str


class DefaultDenyUngated(Diagnostic):
    """With `enforcement: denyByDefault`, everything that somebody can call says who may.

    Operations, creates, destroys, finds and the commands of workflows take `requires`; the list of an aggregate takes
    it from a find: `find all(): Order[] requires …`.
    """

    message: ClassVar[dict[str, str]] = {
        "command": "{what} has no `requires`, and everything is denied by default",
        "list": "the list of `{what}` has no gate, and everything is denied by default",
    }
    help: ClassVar[dict[str, str]] = {
        "command": "say who may: `requires …`",
        "list": "declare `find all(): {what}[] requires …` in its repository",
    }

    case: Literal["command", "list"]
    what: str


class AuditHistoryUngated(Diagnostic):
    """The history of an audited aggregate is read by whoever may read its list, and everything is denied by default."""

    message = "the list of `{name}`, and with it its history, has no gate, and everything is denied by default"
    help = "declare `find all(): {name}[] requires …` in its repository"

    name: str
