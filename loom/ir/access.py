"""People: what is known of whoever asks, what they may do, and which rows are theirs."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.types import Ref, Type


class UserClaim(Value):
    """Something that is known of whoever asks; the language has more of them than a model declares."""

    name: str
    type: Type


class Permission(Value):
    """`givers` are the permissions that include this one, itself first; each is spelled `<subdomain>.<name>`."""

    name: str
    givers: tuple[str, ...]


class Credential(Value):
    """What a provider needs to know: texts as written, or the name of an environment variable."""

    name: str
    texts: tuple[str, ...]
    variable: str


class Sessions(StrEnum):
    """How a caller shows who it is."""

    COOKIE = "cookie"
    BEARER = "jwt"


class Auth(Value):
    """Who says who somebody is. `claims` are paths in its tokens, by the claim that they fill."""

    provider: str
    credentials: tuple[Credential, ...]
    sessions: Sessions
    claims: tuple[tuple[str, str], ...]
    default_deny: bool


class Stance(StrEnum):
    """Whose the rows of an aggregate are, where a model has tenants."""

    NONE = "none"
    OWNED = "tenantOwned"
    SHARED = "crossTenant"
    REGISTRY = "tenantRegistry"


class Tenancy(Value):
    """`claim` says which tenant somebody belongs to, by the id of a row of `registry`; those may form trees."""

    claim: str
    registry: Ref
    hierarchical: bool
