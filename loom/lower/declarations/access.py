"""`user`, `permissions` and `auth`: who there is, and what they may do.

In: their declarations, wherever they stand outside contexts. Out: IR declarations, and what contexts see of them.
Never: a gate; those belong to what they guard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from loom.base import Feature, circles, nearest
from loom.ir import access as ir
from loom.ir.types import STRING, ArrayType, OptionalType, Type
from loom.lower.problems.access import (
    AuthMissingClientId,
    AuthMissingIssuer,
    AuthUnknownClaimField,
    AuthUnknownProvider,
    AuthWithoutUser,
    ClaimType,
    DuplicateAuthBlock,
    DuplicatePermission,
    DuplicateUserBlock,
    PermissionImpliesSelf,
    PermissionImpliesUnknown,
    ReservedClaim,
    UserDuplicateField,
)
from loom.lower.scope.principal import RESERVED
from loom.lower.scope.relations import is_single, show
from loom.lower.scope.source import Source
from loom.lower.scope.typerefs import Position, TypeScope
from loom.lower.signature import ClaimSignature, PermissionSignature, SubdomainSignature
from loom.parse import ast

_WITH_ISSUER = ("google", "microsoft", "entra")
_SELF_HOSTED = ("auth0", "okta", "zitadel", "cognito", "keycloak", "custom", "oidc")


def claims(blocks: Sequence[tuple[TypeScope, ast.User]]) -> tuple[ClaimSignature, ...] | None:
    """Those of the first block; None when there is none."""
    for types, block in blocks[1:]:
        types.source.report(DuplicateUserBlock(at=types.source.place(block.at)))
    if not blocks:
        return None
    types, block = blocks[0]
    found: dict[str, ClaimSignature] = {}
    for item in block.claims:
        if item.name in found:
            types.source.report(UserDuplicateField(at=types.source.place(item.at), name=item.name))
        elif item.name in RESERVED:
            types.source.report(ReservedClaim(at=types.source.place(item.at), name=item.name))
        else:
            found[item.name] = ClaimSignature(name=item.name, type=_claim_type(types, item))
    return tuple(found.values())


def _claim_type(types: TypeScope, item: ast.Claim) -> Type | None:
    found = types.resolve(item.type, Position.CLAIM)
    if found is None:
        return None
    at = types.source.place(item.type.at)
    if item.name == "permissions" and found != ArrayType(of=STRING):
        types.source.report(ClaimType(at=at, name=item.name, found=show(found), expected="`string[]`"))
        return None
    if not _can_be_claimed(found):
        expected = "a scalar, an enum or the id of an aggregate"
        types.source.report(ClaimType(at=at, name=item.name, found=show(found), expected=expected))
        return None
    return found


def _can_be_claimed(type_: Type) -> bool:
    if isinstance(type_, OptionalType | ArrayType):
        return _can_be_claimed(type_.of)
    return is_single(type_)


def user(source: Source, declared: ast.User, known: Iterable[ClaimSignature]) -> tuple[ir.UserClaim, ...]:
    source.use(declared.at, Feature.USER)
    return tuple(ir.UserClaim(name=item.name, type=item.type) for item in known if item.type is not None)


def subdomain_signatures(declared: Iterable[tuple[Source, ast.Subdomain]]) -> tuple[SubdomainSignature, ...]:
    """Subdomains with permissions; those of one name are one."""
    contexts: dict[str, list[str]] = {}
    entries: dict[str, list[tuple[Source, ast.Permission]]] = {}
    for source, item in declared:
        for member in item.members:
            if isinstance(member, ast.Context):
                contexts.setdefault(item.name, []).append(member.name)
            else:
                entries.setdefault(item.name, []).extend((source, entry) for entry in member.entries)
    return tuple(
        SubdomainSignature(
            name=name, contexts=tuple(contexts.get(name, ())), permissions=tuple(_permissions(name, own))
        )
        for name, own in entries.items()
    )


def _permissions(subdomain: str, entries: Iterable[tuple[Source, ast.Permission]]) -> Iterator[PermissionSignature]:
    kept: dict[str, tuple[Source, ast.Permission]] = {}
    for source, entry in entries:
        if entry.name in kept:
            at = source.place(entry.at)
            source.report(DuplicatePermission(at=at, name=entry.name, subdomain=subdomain))
        else:
            kept[entry.name] = (source, entry)
    implied = {name: tuple(_implied(source, entry, kept)) for name, (source, entry) in kept.items()}
    for path in circles(implied):
        source, entry = kept[path[0]]
        source.report(PermissionImpliesSelf(at=source.place(entry.at), name=entry.name, path=" → ".join(path)))
    given = _givers(implied)
    for name in kept:
        yield PermissionSignature(name=name, givers=tuple(given[name]))


def _implied(source: Source, entry: ast.Permission, known: Mapping[str, object]) -> Iterator[str]:
    for item in entry.implies:
        if item.name in known:
            yield item.name
            continue
        at, near = source.place(item.at), nearest(item.name, known)
        source.report(PermissionImpliesUnknown(at=at, name=entry.name, implied=item.name, nearest=near))


def _givers(implied: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Every permission with all that include it, itself first, nearer ones before."""
    above: dict[str, list[str]] = {name: [] for name in implied}
    for name, items in implied.items():
        for item in items:
            above[item].append(name)
    found = {}
    for name in implied:
        reached, seen = [name], {name}
        for one in reached:
            new = [giver for giver in above[one] if giver not in seen]
            reached += dict.fromkeys(new)
            seen.update(new)
        found[name] = reached
    return found


def permissions(source: Source, subdomain: SubdomainSignature, declared: ast.Permissions) -> tuple[ir.Permission, ...]:
    source.use(declared.at, Feature.PERMISSIONS)
    spelled = subdomain.name.lower()
    return tuple(
        ir.Permission(name=item.name, givers=tuple(f"{spelled}.{giver}" for giver in item.givers))
        for item in subdomain.permissions
    )


def auth(blocks: Sequence[tuple[Source, ast.Auth]], known: Sequence[ClaimSignature] | None) -> ir.Auth | None:
    """The first block; `known` are the claims that there are."""
    for source, block in blocks[1:]:
        source.report(DuplicateAuthBlock(at=source.place(block.at)))
    if not blocks:
        return None
    source, block = blocks[0]
    source.use(block.at, Feature.AUTH)
    if known is None:
        source.report(AuthWithoutUser(at=source.place(block.at)))
    _check_provider(source, block)
    sessions = block.sessions.name if block.sessions is not None else ir.Sessions.BEARER.value
    return ir.Auth(
        provider=block.provider.name if block.provider is not None else "",
        credentials=tuple(
            ir.Credential(name=item.name, texts=item.values, variable=item.source.value if item.source else "")
            for item in block.credentials
        ),
        sessions=ir.Sessions(sessions),
        claims=tuple(_paths(source, block, known or ())),
        default_deny=denies_by_default(block),
    )


def denies_by_default(block: ast.Auth) -> bool:
    return block.enforcement is not None and block.enforcement.name == "denyByDefault"


def _check_provider(source: Source, block: ast.Auth) -> None:
    if block.provider is None:
        return
    name, at = block.provider.name, source.place(block.provider.at)
    given = [item.name for item in block.credentials]
    if name not in (*_WITH_ISSUER, *_SELF_HOSTED):
        near = nearest(name, (*_WITH_ISSUER, *_SELF_HOSTED))
        hint = f"did you mean `{near}`?" if near else "write `oidc { issuer: …, clientId: … }`"
        source.report(AuthUnknownProvider(at=at, name=name, hint=hint))
    elif name in _SELF_HOSTED and "issuer" not in given:
        source.report(AuthMissingIssuer(at=at, name=name))
    if block.credentials and "clientId" not in given:
        source.report(AuthMissingClientId(at=at))


def _paths(source: Source, block: ast.Auth, known: Iterable[ClaimSignature]) -> Iterator[tuple[str, str]]:
    names = ["id", *(item.name for item in known)]
    for item in block.claims:
        if item.name in names:
            yield item.name, str(item.value)
        else:
            near = nearest(item.name, names)
            source.report(AuthUnknownClaimField(at=source.place(item.at), name=item.name, nearest=near))
