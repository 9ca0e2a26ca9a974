"""What a context knows of those who ask: the claims of the model, and the permissions of its subdomain.

In: the signature of the root. Out: dictionaries.
Never: a rule; who may do what is said by gates and policies.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from loom.ir.types import BOOL, STRING, OptionalType, Type
from loom.lower.signature import SharedSignature, TenancySignature

# What is known of everybody, besides what `user` declares. `isSystem` and `causedBy` cannot be declared.
RESERVED: Mapping[str, Type] = {"isSystem": BOOL, "causedBy": OptionalType(of=STRING)}
TENANT_PATHS = ("orgPath", "rootOrg")
_SUPPLIED: Mapping[str, Type] = {"id": STRING, **dict.fromkeys(TENANT_PATHS, STRING)}


class Principal(msgspec.Struct, frozen=True):
    """`claims` is None without a `user` block; a claim of no sound type is there, as None.

    `permissions` maps each of the subdomain to all that include it, itself first.
    """

    claims: Mapping[str, Type | None] | None = None
    subdomain: str = ""
    permissions: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    tenancy: TenancySignature | None = None


def principal_of(shared: SharedSignature, context: str) -> Principal:
    """What the context of that name knows; the root, whose name is empty, belongs to no subdomain."""
    own = next((item for item in shared.subdomains if context in item.contexts), None)
    declared = None if shared.claims is None else {item.name: item.type for item in shared.claims}
    return Principal(
        claims=None if declared is None else {**_SUPPLIED, **declared, **RESERVED},
        subdomain=own.name if own is not None else "",
        permissions={item.name: item.givers for item in own.permissions} if own is not None else {},
        tenancy=shared.tenancy,
    )
