"""The rules of types, and of what aggregates, parts and value objects consist of.

In: tokens and what stands inside. Out: members.
Never: a look at a neighbour: duplicates and conflicts between members are for `validate`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec.structs import replace

from loom.parse.ast import (
    Access,
    Containment,
    Create,
    Derived,
    Destroy,
    Expression,
    Function,
    Invariant,
    NameRef,
    Operation,
    Parameter,
    Property,
    Statement,
    TypeRef,
    Unique,
    Unsupported,
)
from loom.parse.draft import Draft


class Clause(NamedTuple):
    """A clause before its owner is made: `requires x`, `= 3`. One without a value names a feature."""

    at: int
    name: str
    value: Any = None  # what the rule of that name made
    message: str | None = None


class Clauses(NamedTuple):
    """The clauses of one owner by name, and the features among them."""

    found: dict[str, Clause]
    features: tuple[Unsupported, ...]

    def value(self, name: str) -> Any:  # noqa: ANN401 - what the clause of that name holds, or None
        return self.found[name].value if name in self.found else None

    def word(self, name: str) -> NameRef | None:
        """The word itself, where it stands."""
        return next((NameRef(item.at, name) for item in self.features if item.feature == name), None)

    def others(self, *known: str) -> tuple[Unsupported, ...]:
        return tuple(item for item in self.features if item.feature not in known)


def plain_type(d: Draft, token: int) -> TypeRef:
    return TypeRef(d.numbers[token], d.texts[token])


def suffixed_type(d: Draft, token: int, suffixes: list[int]) -> TypeRef:
    """`X id paged[]?`: each suffix at most once, in that order."""
    texts = [d.texts[suffix][0] for suffix in suffixes]
    order = [("i", "p", "e", "o", "[", "?").index(text) for text in texts]
    if sorted(set(order)) != order:
        last = suffixes[-1]
        d.reject(d.numbers[last], f"`{d.texts[last]}` in the wrong place", "write `X id`, then `[]`, then `?`")
    carriers = tuple(d.texts[suffix] for suffix in suffixes if d.texts[suffix][0] in "peo")
    return TypeRef(d.numbers[token], d.texts[token], "i" in texts, "[" in texts, "?" in texts, carriers)


def union(d: Draft, first: TypeRef, others: list[TypeRef]) -> TypeRef:
    return replace(first, others=tuple(others))


def clause_feature(d: Draft, token: int, *_: object) -> Clause:
    return Clause(d.numbers[token], d.texts[token])


def clause_access(d: Draft, token: int) -> Clause:
    return Clause(d.numbers[token], "access", Access(d.texts[token]))


def clause_sensitive(d: Draft, token: int, tags: list[int]) -> Clause:
    return Clause(d.numbers[token], "sensitive", names(d, tags))


def clause_mask(d: Draft, token: int, value: Expression) -> Clause:
    return Clause(d.numbers[token], "mask", value)


def clause_default(d: Draft, value: Expression) -> Clause:
    return Clause(value.at, "default", value)


def clause_check(d: Draft, token: int, value: Expression, message: int = -1) -> Clause:
    return Clause(d.numbers[token], "check", value, d.texts[message] if message >= 0 else None)


def clause_returns(d: Draft, type_: TypeRef) -> Clause:
    return Clause(type_.at, "returns", type_)


def clause_requires(d: Draft, token: int, value: Expression) -> Clause:
    return Clause(d.numbers[token], "requires", value)


def clause_when(d: Draft, token: int, value: Expression) -> Clause:
    return Clause(d.numbers[token], "when", value)


def sort(d: Draft, clauses: list[Clause]) -> Clauses:
    """The clauses by name; a repeated one is reported."""
    found: dict[str, Clause] = {}
    features: list[Unsupported] = []
    for clause in clauses:
        if clause.value is None:
            features.append(Unsupported(clause.at, clause.name, ""))
        elif clause.name in found:
            d.reject(clause.at, f"a second {_SAID.get(clause.name, f'`{clause.name}`')}", "write it once")
        else:
            found[clause.name] = clause
    return Clauses(found, tuple(features))


_SAID = {"access": "access modifier", "default": "default", "returns": "result type"}


def property(d: Draft, token: int, type_: TypeRef) -> Property:
    return Property(d.numbers[token], d.texts[token], type_)


def property_with(d: Draft, token: int, type_: TypeRef, written: list[Clause]) -> Property:
    clauses = sort(d, written)
    check = clauses.found.get("check")
    return replace(
        property(d, token, type_),
        access=clauses.value("access") or Access.EDITABLE,
        default=clauses.value("default"),
        check=check.value if check else None,
        check_message=check.message if check else None,
        sensitive=clauses.value("sensitive") or (),
        provenanced=clauses.word("provenanced"),
        mask=clauses.value("mask"),
    )


def containment(d: Draft, token: int, type_: TypeRef) -> Containment:
    return Containment(d.numbers[token], d.texts[token], type_)


def derived(d: Draft, token: int, type_: TypeRef, value: Expression) -> Derived:
    return Derived(d.numbers[token], d.texts[token], type_, value)


def invariant(d: Draft, token: int, condition: Expression) -> Invariant:
    return Invariant(d.numbers[token], condition, None, None, False)


def invariant_message(d: Draft, token: int, condition: Expression, message: int) -> Invariant:
    return Invariant(d.numbers[token], condition, None, d.texts[message], False)


def invariant_when(d: Draft, token: int, condition: Expression, when: Expression, message: int = -1) -> Invariant:
    return Invariant(d.numbers[token], condition, when, d.texts[message] if message >= 0 else None, False)


def private_invariant(d: Draft, inner: Invariant) -> Invariant:
    return replace(inner, is_private=True)


def unique(d: Draft, token: int, columns: list[int]) -> Unique:
    return Unique(d.numbers[token], names(d, columns))


def names(d: Draft, tokens: list[int]) -> tuple[NameRef, ...]:
    """A reference for each token."""
    return tuple(NameRef(d.numbers[token], d.texts[token]) for token in tokens)


def parameter(d: Draft, token: int, type_: TypeRef, default: Expression | None = None) -> Parameter:
    return Parameter(d.numbers[token], d.texts[token], type_, default)


def function(
    d: Draft, token: int, parameters: list[Parameter], returns: TypeRef, body: Expression | list[Statement]
) -> Function:
    written = tuple(body) if isinstance(body, list) else body
    return Function(d.numbers[token], d.texts[token], tuple(parameters), returns, written)


def operation(
    d: Draft, token: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]
) -> Operation:
    clauses = sort(d, written)
    return Operation(
        d.numbers[token],
        d.texts[token],
        tuple(parameters),
        clauses.value("returns"),
        False,
        clauses.value("requires"),
        clauses.value("when"),
        tuple(body),
        clauses.word("extern"),
        clauses.word("audited"),
    )


def private_operation(
    d: Draft, token: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]
) -> Operation:
    return replace(operation(d, token, parameters, written, body), is_private=True)


def create(d: Draft, token: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]) -> Create:
    return Create(d.numbers[token], "", tuple(parameters), tuple(body), sort(d, written).word("audited"))


def named_create(
    d: Draft, name: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]
) -> Create:
    return replace(create(d, name, parameters, written, body), name=d.texts[name])


def destroy(d: Draft, token: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]) -> Destroy:
    return Destroy(d.numbers[token], "", tuple(parameters), tuple(body), sort(d, written).word("audited"))


def named_destroy(
    d: Draft, name: int, parameters: list[Parameter], written: list[Clause], body: list[Statement]
) -> Destroy:
    return replace(destroy(d, name, parameters, written, body), name=d.texts[name])
