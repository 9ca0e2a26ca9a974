"""The rules of projections.

In: tokens and what stands inside. Out: projections.
Never: a rule about which parts go together; that is for `lower`.
"""

from __future__ import annotations

from loom.parse.ast import (
    Expression,
    NameRef,
    Parameter,
    Projection,
    ProjectionJoin,
    ProjectionSource,
    Property,
    Reactor,
    SelectItem,
)
from loom.parse.draft import Draft
from loom.parse.rules.members import Clause, sort

_Member = Property | Reactor | ProjectionJoin | Clause


def clause_keyed(d: Draft, token: int) -> Clause:
    return Clause(d.numbers[token], "keyed by", NameRef(d.numbers[token], d.texts[token]))


def projection_source(d: Draft, keyword: int, token: int, alias: int = -1) -> Clause:
    made = ProjectionSource(d.numbers[token], d.texts[token], d.texts[alias] if alias >= 0 else "")
    return Clause(made.at, "from", made)


def projection_join(d: Draft, token: int, alias: int, on: Expression) -> ProjectionJoin:
    return ProjectionJoin(d.numbers[token], d.texts[token], NameRef(d.numbers[alias], d.texts[alias]), on)


def projection_groups(d: Draft, keys: list[Expression]) -> Clause:
    return Clause(keys[0].at, "group by", tuple(keys))


def projection_selects(d: Draft, items: list[SelectItem]) -> Clause:
    return Clause(items[0].at, "select", tuple(items))


def select_item(d: Draft, token: int, value: Expression) -> SelectItem:
    return SelectItem(d.numbers[token], d.texts[token], value)


def projection(
    d: Draft, keyword: int, token: int, parameters: list[Parameter], headers: list[Clause], members: list[_Member]
) -> Projection:
    clauses = sort(d, [*headers, *(item for item in members if isinstance(item, Clause))])
    return Projection(
        d.numbers[token],
        d.texts[token],
        tuple(parameters),
        clauses.value("keyed by"),
        clauses.value("requires"),
        tuple(item for item in members if isinstance(item, Property)),
        tuple(item for item in members if isinstance(item, Reactor)),
        clauses.value("from"),
        clauses.value("where"),
        clauses.value("ignoring") or (),
        tuple(item for item in members if isinstance(item, ProjectionJoin)),
        clauses.value("group by") or (),
        clauses.value("select") or (),
    )
