"""Hierarchies: what may extend what, and how they are stored.

In: the aggregates of a context as written. Out: reports, and the uses of shared tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from loom.base import Diagnostic, Feature, nearest
from loom.lower.expansion.inheritance import BEHAVIOR, BEHAVIOR_MACROS, Aggregates, bases_of, is_shared
from loom.lower.problems.inheritance import (
    AbstractAggregateBehavior,
    EsTphForcedOwnTable,
    ExtendsCycle,
    ExtendsNonAbstract,
    ExtendsSelf,
    InheritanceModifierMisplaced,
    TphOwnOverrideUnsupported,
)
from loom.lower.problems.names import LinkingError
from loom.lower.scope.source import Source
from loom.parse import ast


def check_hierarchies(source: Source, known: Aggregates) -> None:
    for declared in known.values():
        for problem in _problems(source, declared, known):
            source.report(problem)
        if declared.is_abstract and declared.base is None and is_shared(declared, known):
            source.use(declared.at, Feature.SHARED_TABLE)


def _problems(source: Source, declared: ast.Aggregate, known: Aggregates) -> Iterator[Diagnostic]:
    if declared.is_abstract:
        yield from _behavior(source, declared)
    if declared.base is not None:
        yield from _base(source, declared, declared.base, known)
        yield from _storage(source, declared, known)
    elif declared.inheritance is not None and not declared.is_abstract:
        yield InheritanceModifierMisplaced(at=source.place(declared.inheritance.at), name=declared.name)


def _behavior(source: Source, declared: ast.Aggregate) -> Iterator[Diagnostic]:
    for macro in declared.macros:
        if macro.name in BEHAVIOR_MACROS:
            at = source.place(macro.at)
            yield AbstractAggregateBehavior(at=at, name=declared.name, what=f"what `{macro.name}` adds")
    for member in declared.members:
        if isinstance(member, BEHAVIOR):
            what = type(member).__name__.lower()
            article = "an" if what[0] in "aeiou" else "a"
            at = source.place(member.at)
            yield AbstractAggregateBehavior(at=at, name=declared.name, what=f"{article} {what}")


def _base(source: Source, declared: ast.Aggregate, base: ast.NameRef, known: Aggregates) -> Iterator[Diagnostic]:
    at = source.place(base.at)
    above = known.get(base.name)
    if above is None:
        near = nearest(base.name, [item.name for item in known.values() if item.is_abstract])
        yield LinkingError(at=at, kind="abstract aggregate", name=base.name, nearest=near)
    elif above is declared:
        yield ExtendsSelf(at=at, name=declared.name)
    elif not above.is_abstract:
        yield ExtendsNonAbstract(at=at, base=base.name)
    elif declared in (bases := bases_of(declared, known)):
        ring = bases[: bases.index(declared) + 1]
        if min(item.at for item in ring) == declared.at:  # a circle is told of once
            path = " → ".join([declared.name, *[item.name for item in ring]])
            yield ExtendsCycle(at=at, name=declared.name, path=path)


def _storage(source: Source, declared: ast.Aggregate, known: Aggregates) -> Iterator[Diagnostic]:
    bases = bases_of(declared, known)
    if not bases:
        return
    top, shared = bases[-1], is_shared(declared, known)
    chosen = "sharedTable" if shared else "ownTable"
    if declared.inheritance is not None and declared.inheritance.name != chosen:
        at = source.place(declared.inheritance.at)
        yield TphOwnOverrideUnsupported(at=at, name=declared.name, base=top.name, chosen=chosen)
    cases: list[tuple[ast.NameRef | None, str, Literal["log", "document"]]] = [
        (declared.persistence, "eventLog", "log"),
        (declared.shape, "document", "document"),
    ]
    for header, what, case in cases:
        if shared and header is not None and header.name == what:
            yield EsTphForcedOwnTable(at=source.place(header.at), case=case, name=declared.name, base=top.name)
