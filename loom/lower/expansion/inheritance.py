"""What an aggregate inherits, written into it.

In: the aggregates of a context. Out: concrete ones with the members of those that they extend in front of their own.
Never: a report; a base that cannot be extended gives nothing, and `declarations/inheritance.py` says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from loom.parse import ast

Aggregates = Mapping[str, ast.Aggregate]


def aggregates_of(context: ast.Context) -> Aggregates:
    """The first of each name."""
    return {item.name: item for item in reversed(context.members) if isinstance(item, ast.Aggregate)}


def bases_of(declared: ast.Aggregate, known: Aggregates) -> tuple[ast.Aggregate, ...]:
    """The abstract aggregates above `declared`, nearest first; they end where one cannot be extended."""
    found: list[ast.Aggregate] = []
    while declared.base is not None:
        above = known.get(declared.base.name)
        if above is None or not above.is_abstract or above in found:
            break
        found.append(above)
        declared = above
    return tuple(found)


def is_shared(declared: ast.Aggregate, known: Aggregates) -> bool:
    """Whether its hierarchy lies in one table: the uppermost base says so, or says nothing."""
    top = (declared, *bases_of(declared, known))[-1]
    return top.inheritance is None or top.inheritance.name == "sharedTable"


def shared_bases(known: Aggregates) -> Mapping[str, str]:
    """The abstract aggregates whose hierarchy lies in one table, each with the uppermost, which gives it its name."""
    bases = [item for item in known.values() if item.is_abstract and is_shared(item, known)]
    return {item.name: (item, *bases_of(item, known))[-1].name for item in bases}


def inherited(declared: ast.Aggregate, known: Aggregates) -> ast.Aggregate:
    """`declared` with everything that its bases declare; a base is without the behavior that none can have."""
    bases = bases_of(declared, known)
    if declared.is_abstract:
        macros = tuple(item for item in declared.macros if item.name not in BEHAVIOR_MACROS)
        declared = replace(declared, macros=macros, members=tuple(_members(declared.members)))
    if not bases or any(item.name == declared.name for item in bases):
        return declared
    own = {item.name for item in declared.macros}
    above = [item for base in reversed(bases) for item in base.macros if item.name not in (*own, *BEHAVIOR_MACROS)]
    members = tuple(item for base in reversed(bases) for item in _members(base.members))
    macros = (*{item.name: item for item in above}.values(), *declared.macros)
    shape = next((item.shape for item in (declared, *bases) if item.shape is not None), None)
    audited = next((item.audited for item in (declared, *bases) if item.audited is not None), None)
    shared = next((item.cross_tenant for item in (declared, *bases) if item.cross_tenant is not None), None)
    return replace(
        declared,
        macros=macros,
        members=(*members, *declared.members),
        shape=shape,
        audited=audited,
        cross_tenant=shared,
    )


def _members(declared: Iterable[ast.AggregateMember]) -> Iterable[ast.AggregateMember]:
    """All but behavior, which a base cannot have, and its own tests."""
    return (item for item in declared if not isinstance(item, BEHAVIOR | ast.Test))


BEHAVIOR_MACROS = ("crudish", "softDelete")
BEHAVIOR = ast.Operation | ast.Create | ast.Destroy
