"""Declarations about people: who they are, what they may do, and which rows are theirs."""

from __future__ import annotations

from dataclasses import dataclass

from loom.parse.ast.deployment import Connection, Setting
from loom.parse.ast.shared import NameRef, TypeRef


@dataclass(frozen=True, slots=True)
class Claim:
    """`role: string`: something that is known of whoever asks."""

    at: int
    name: str
    type: TypeRef


@dataclass(frozen=True, slots=True)
class User:
    """`user { … }`; `at` is the keyword."""

    at: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Credential:
    """A clause of `oidc { … }`: a text, or where one is found; a list of them for `scopes`."""

    at: int
    name: str
    values: tuple[str, ...] = ()
    source: Connection | None = None


@dataclass(frozen=True, slots=True)
class Auth:
    """`auth { … }`; `at` is the keyword. What is not written is None.

    The provider is `oidc` where only that block is written. `claims` map fields of `user` to token paths.
    """

    at: int
    provider: NameRef | None
    credentials: tuple[Credential, ...]
    sessions: NameRef | None
    claims: tuple[Setting, ...]
    enforcement: NameRef | None


@dataclass(frozen=True, slots=True)
class Permission:
    """`closeAccounts implies [readAccounts]`."""

    at: int
    name: str
    implies: tuple[NameRef, ...]


@dataclass(frozen=True, slots=True)
class Permissions:
    """The permissions of a subdomain; `at` is the keyword."""

    at: int
    entries: tuple[Permission, ...]


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """`allow write deep on Order`; `level` is None for a `deny`, `at` the verb."""

    at: int
    level: NameRef | None
    is_write: bool
    aggregate: NameRef


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules about rows; `name` may be empty, and `at` is the keyword then."""

    at: int
    name: str
    rules: tuple[PolicyRule, ...]


@dataclass(frozen=True, slots=True)
class Tenancy:
    """`tenancy by user.company of Company`; `at` is the keyword."""

    at: int
    claim: NameRef
    registry: NameRef
