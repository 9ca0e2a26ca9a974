"""Declarations about people: who they are, what they may do, and which rows are theirs."""

from __future__ import annotations

from loom.parse.ast.deployment import Connection, Setting
from loom.parse.ast.shared import NameRef, Node, TypeRef


class Claim(Node):
    """`role: string`: something that is known of whoever asks."""

    at: int
    name: str
    type: TypeRef


class User(Node):
    """`user { … }`; `at` is the keyword."""

    at: int
    claims: tuple[Claim, ...]


class Credential(Node):
    """A clause of `oidc { … }`: a text, or where one is found; a list of them for `scopes`."""

    at: int
    name: str
    values: tuple[str, ...] = ()
    source: Connection | None = None


class Auth(Node):
    """`auth { … }`; `at` is the keyword. What is not written is None.

    The provider is `oidc` where only that block is written. `claims` map fields of `user` to token paths.
    """

    at: int
    provider: NameRef | None
    credentials: tuple[Credential, ...]
    sessions: NameRef | None
    claims: tuple[Setting, ...]
    enforcement: NameRef | None


class Permission(Node):
    """`closeAccounts implies [readAccounts]`."""

    at: int
    name: str
    implies: tuple[NameRef, ...]


class Permissions(Node):
    """The permissions of a subdomain; `at` is the keyword."""

    at: int
    entries: tuple[Permission, ...]


class PolicyRule(Node):
    """`allow write deep on Order`; `level` is None for a `deny`, `at` the verb."""

    at: int
    level: NameRef | None
    is_write: bool
    aggregate: NameRef


class Policy(Node):
    """Rules about rows; `name` may be empty, and `at` is the keyword then."""

    at: int
    name: str
    rules: tuple[PolicyRule, ...]


class Tenancy(Node):
    """`tenancy by user.company of Company`; `at` is the keyword."""

    at: int
    claim: NameRef
    registry: NameRef
