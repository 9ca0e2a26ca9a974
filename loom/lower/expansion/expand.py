"""A context with everything written out that its macros and capabilities stand for.

In: a context as parsed, and the capabilities of the root by name. Out: a context of plain declarations.
Never: a report, or a type; what is added may still be wrong, and is then reported at the word that asked for it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from loom.lower.expansion.inheritance import aggregates_of, inherited
from loom.lower.expansion.placed import placed
from loom.lower.expansion.scaffold import scaffolded
from loom.lower.expansion.supplied import SOFT_DELETE, SUPPLIED
from loom.parse import ast

Capabilities = Mapping[str, ast.Capability]
_EVERYWHERE = ast.Filter | ast.Stamp | ast.Implements
_BY_DEFAULT = ("softDeletable", "softDelete")


class Taken(NamedTuple):
    """A word that an aggregate, or the context for it, takes on."""

    at: int
    name: str


def expand(context: ast.Context, capabilities: Capabilities) -> ast.Context:
    """`capabilities` are those that the model declares; the ones of the language are known."""
    known = {**SUPPLIED, **capabilities}
    shared = tuple(item for item in context.members if isinstance(item, _EVERYWHERE))
    declared = aggregates_of(context)
    for_all = tuple(_of_context(context.macros))
    members: list[ast.ContextMember] = []
    for item in context.members:
        if isinstance(item, ast.Aggregate):
            members.append(_aggregate(inherited(item, declared), known, for_all, shared))
        elif not isinstance(item, _EVERYWHERE):
            members.append(item)
    for macro in context.macros:
        if macro.name == "scaffoldHandlers":
            members += scaffolded(members, macro.at)
    return replace(context, members=tuple(members))


def _of_context(macros: Iterable[ast.MacroCall]) -> Iterator[Taken]:
    for macro in macros:
        if macro.name == "softDeleteByDefault":
            yield from (Taken(macro.at, name) for name in _BY_DEFAULT)
        else:
            yield Taken(macro.at, macro.name)


def _aggregate(
    declared: ast.Aggregate, known: Capabilities, for_all: tuple[Taken, ...], shared: tuple[_EVERYWHERE, ...]
) -> ast.Aggregate:
    """Only state has filters, stamps and soft deletion; what does not fit another aggregate is reported there."""
    taken = [Taken(item.at, item.name) for item in declared.macros]
    own = (*declared.members, *shared)
    taken += [Taken(item.at, item.name) for item in own if isinstance(item, ast.Implements)]
    for_it = [item for item in for_all if item.name in known and item.name not in [one.name for one in taken]]
    macros = (*declared.macros, *(ast.MacroCall(item.at, item.name, ()) for item in for_it))
    first = {item.name: item for item in reversed([*taken, *for_all])}
    if not can_soft_delete(declared, first):
        first.pop("softDelete", None)
    added = [member for item in reversed(first.values()) for member in _added(item, declared.name, known)]
    given = [item for item in shared if not isinstance(item, ast.Implements)]
    members = _managed((*declared.members, *given, *added))
    return declared if members == declared.members else replace(declared, macros=macros, members=members)


def _managed(members: tuple[ast.AggregateMember, ...]) -> tuple[ast.AggregateMember, ...]:
    """A field that a stamp assigns is the server's, unless it says otherwise."""
    stamped = {name for item in members if isinstance(item, ast.Stamp) for name in assigned_by(item)}
    if not stamped:
        return members
    return tuple(
        replace(item, access=ast.Access.MANAGED)
        if isinstance(item, ast.Property) and item.name in stamped and item.access is ast.Access.EDITABLE
        else item
        for item in members
    )


def assigned_by(stamp: ast.Stamp) -> Iterator[str]:
    """The fields that it sets."""
    for statement in stamp.body:
        match statement:
            case ast.Assign(target=ast.Name(name=name) | ast.Member(target=ast.This(), name=name)):
                yield name


def can_soft_delete(declared: ast.Aggregate, taken: Container[str]) -> bool:
    """Whether there is a field that says so."""
    fields = [item.name for item in declared.members if isinstance(item, ast.Property)]
    return "softDeletable" in taken or "isDeleted" in fields


def _added(taken: Taken, aggregate: str, known: Capabilities) -> Iterator[ast.AggregateMember]:
    if taken.name == "softDelete":
        yield from (placed(member, taken.at, aggregate) for member in SOFT_DELETE)
    elif capability := known.get(taken.name):
        for written in capability.members:
            member = placed(written, taken.at, aggregate)
            yield replace(member, capability=taken.name) if isinstance(member, ast.Filter) else member
