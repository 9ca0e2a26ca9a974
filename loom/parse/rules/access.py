"""The rules of users, authentication, permissions, policies over rows, and tenancy.

In: tokens, and clauses `name: value, …` whatever they say. Out: declarations.
Never: a choice that nobody knows: it is reported here, with those that there are.
"""

from __future__ import annotations

from loom.parse.ast import (
    Auth,
    Claim,
    Connection,
    Credential,
    MacroCall,
    NameRef,
    Permission,
    Permissions,
    Policy,
    PolicyRule,
    Setting,
    Tenancy,
    TypeRef,
    User,
)
from loom.parse.draft import Draft
from loom.parse.rules import clauses as written_as
from loom.parse.rules.members import Clause, names

_LEVELS = ("local", "deep", "global")
_CREDENTIALS = ("issuer", "clientId", "clientSecret", "audience", "scopes")


def claim(d: Draft, token: int, type_: TypeRef, *_: int) -> Claim:
    return Claim(d.numbers[token], d.texts[token], type_)


def user(d: Draft, keyword: int, claims: list[Claim]) -> User:
    return User(d.numbers[keyword], tuple(claims))


def permission(d: Draft, token: int, *_: int) -> Permission:
    return Permission(d.numbers[token], d.texts[token], ())


def implying(d: Draft, token: int, implied: int | list[int], *_: int) -> Permission:
    listed = implied if isinstance(implied, list) else [implied]
    return Permission(d.numbers[token], d.texts[token], names(d, listed))


def permissions(d: Draft, keyword: int, entries: list[Permission]) -> Permissions:
    return Permissions(d.numbers[keyword], tuple(entries))


def allow(d: Draft, verb: int, level: int, aggregate: int) -> PolicyRule:
    found, target = names(d, [level, aggregate])
    if found.name not in _LEVELS:
        d.reject(found.at, f"unknown scope `{found.name}`", "expected one of `" + "`, `".join(_LEVELS) + "`")
        found = NameRef(found.at, _LEVELS[0])
    return PolicyRule(d.numbers[verb], found, False, target)


def allow_write(d: Draft, verb: int, level: int, aggregate: int) -> PolicyRule:
    made = allow(d, verb, level, aggregate)
    return PolicyRule(made.at, made.level, True, made.aggregate)


def deny(d: Draft, verb: int, aggregate: int) -> PolicyRule:
    return PolicyRule(d.numbers[verb], None, False, names(d, [aggregate])[0])


def deny_write(d: Draft, verb: int, aggregate: int) -> PolicyRule:
    return PolicyRule(d.numbers[verb], None, True, names(d, [aggregate])[0])


def policy(d: Draft, keyword: int, rules: list[PolicyRule]) -> Policy:
    return Policy(d.numbers[keyword], "", tuple(rules))


def named_policy(d: Draft, keyword: int, token: int, rules: list[PolicyRule]) -> Policy:
    return Policy(d.numbers[token], d.texts[token], tuple(rules))


def tenancy(d: Draft, keyword: int, head: int, claim: int, registry: int) -> Tenancy:
    if d.texts[head] != "user":
        advice = "write `tenancy by user.claim of Registry`"
        d.reject(d.numbers[head], f"`{d.texts[head]}` where a claim is wanted", advice)
    found, target = names(d, [claim, registry])
    return Tenancy(d.numbers[keyword], found, target)


def clause_macros(d: Draft, token: int, macros: list[MacroCall]) -> Clause:
    return Clause(d.numbers[token], "with", tuple(macros))


def oidc(d: Draft, keyword: int, written: list[Clause], comma: int = 0) -> Clause:
    known = written_as.known(d, written, _CREDENTIALS)
    return Clause(d.numbers[keyword], "oidc", tuple(found for item in known.values() for found in _credential(d, item)))


def auth(d: Draft, keyword: int, written: list[Clause]) -> Auth:
    clauses = written_as.known(d, written, ("provider", "oidc", "sessions", "claims", "enforcement"))
    own = _block(d, clauses.get("oidc"))
    provider = written_as.named(d, clauses, "provider")
    if provider is None and own is not None:
        provider = NameRef(own.at, "oidc")
    return Auth(
        d.numbers[keyword],
        provider,
        own.value if own is not None else (),
        written_as.choice(d, clauses, "sessions", ("cookie", "jwt")),
        _claims(d, clauses),
        written_as.choice(d, clauses, "enforcement", ("denyByDefault", "opt")),
    )


def _block(d: Draft, written: Clause | None) -> Clause | None:
    """`oidc { … }`, which is no `oidc: value`: the values of that are a list."""
    if written is None or isinstance(written.value, tuple):
        return written
    advice = "write `oidc { issuer: …, clientId: … }`, or `provider:` and a name"
    d.reject(written.at, written_as.WRONG.format("oidc"), advice)
    return None


def _credential(d: Draft, item: Clause) -> list[Credential]:
    parts = [part for value in item.value for part in (value if isinstance(value, list) else [value])]
    if len(parts) == 1 and isinstance(parts[0], Connection) and parts[0].kind == "env" and item.name != "scopes":
        return [Credential(item.at, item.name, source=parts[0])]
    texts = tuple(part.value for part in parts if isinstance(part, written_as.Text))
    if len(texts) == len(parts) and (len(texts) == 1 or item.name == "scopes"):
        return [Credential(item.at, item.name, texts)]
    advice = "write a list of strings" if item.name == "scopes" else 'write a string or `env("NAME")`'
    d.reject(item.at, f"the wrong kind of value after `{item.name}:`", advice)
    return []


def _claims(d: Draft, clauses: dict[str, Clause]) -> tuple[Setting, ...]:
    """`claims: { field: "path.in.token" }`."""
    value = written_as.one(d, clauses, "claims")
    if value is None:
        return ()
    listed = written_as.settings(d, value.clauses) if isinstance(value, written_as.Settings) else ()
    if not isinstance(value, written_as.Settings) or any(not isinstance(item.value, str) for item in listed):
        d.reject(clauses["claims"].at, "the wrong kind of value after `claims:`", 'write `{ field: "path", … }`')
    return tuple(item for item in listed if isinstance(item.value, str))
