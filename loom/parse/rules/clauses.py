"""What stands after the name of a clause, whatever the clause, and how a rule asks for one of its kind.

In: clauses `name: value, …`. Out: names, texts, numbers and settings; what a clause cannot be is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from loom.base import nearest
from loom.parse.ast import Connection, Index, NameRef, Setting
from loom.parse.draft import Draft
from loom.parse.rules.members import Clause, sort

WRONG = "the wrong kind of value after `{}:`"


class Settings(NamedTuple):
    """`{ name: value, … }`, with what stood before the brace."""

    head: NameRef | None
    clauses: list[Clause]


class Text(NamedTuple):
    at: int
    value: str


class Number(NamedTuple):
    at: int
    value: int


Item = NameRef | Text | Number | bool | Connection | Index | Settings | list["Item"]


def known(d: Draft, clauses: Sequence[Clause], expected: Sequence[str]) -> dict[str, Clause]:
    """The clauses by name, the unknown ones reported."""
    for item in clauses:
        if item.name not in expected:
            near = nearest(item.name, expected)
            said = f"did you mean `{near}`?" if near else "expected one of `" + "`, `".join(expected) + "`"
            d.reject(item.at, f"unknown clause `{item.name}:`", said)
    return sort(d, [item for item in clauses if item.name in expected]).found


def one(d: Draft, clauses: dict[str, Clause], name: str) -> Item | None:
    """The only value of a clause."""
    if name not in clauses:
        return None
    found = clauses[name]
    if len(found.value) != 1:
        d.reject(found.at, f"a list after `{name}:`", "write one value")
    value: Item = found.value[0]
    return value


def reference(item: Item | list[Clause] | None) -> NameRef | None:
    if isinstance(item, Text):
        return NameRef(item.at, item.value)
    return item if isinstance(item, NameRef) else None


def named(d: Draft, clauses: dict[str, Clause], name: str) -> NameRef | None:
    value = one(d, clauses, name)
    found = reference(value)
    if value is not None and found is None:
        d.reject(clauses[name].at, WRONG.format(name), "write a name")
    return found


def listed(d: Draft, clauses: dict[str, Clause], name: str) -> tuple[NameRef, ...]:
    """`a, b` or `[a, b]`."""
    if name not in clauses:
        return ()
    found: list[NameRef] = []
    for item in flat(clauses[name].value):
        if isinstance(item, NameRef):
            found.append(item)
        else:
            d.reject(clauses[name].at, WRONG.format(name), "write names")
    return tuple(found)


def flat(items: list[Item]) -> list[Item]:
    return [part for item in items for part in (item if isinstance(item, list) else [item])]


def settings(d: Draft, clauses: Sequence[Clause]) -> tuple[Setting, ...]:
    """Scalar clauses."""
    found: list[Setting] = []
    for item in clauses:
        value = item.value[0]
        if isinstance(value, Text | Number):
            value = value.value
        if len(item.value) == 1 and isinstance(value, str | int | NameRef):
            found.append(Setting(item.at, item.name, value))
        else:
            d.reject(item.at, WRONG.format(item.name), "write a name, a string, a number, `true` or `false`")
    return tuple(found)


def config(d: Draft, clauses: dict[str, Clause]) -> tuple[Setting, ...]:
    value = one(d, clauses, "config")
    if value is None:
        return ()
    if not isinstance(value, Settings):
        d.reject(clauses["config"].at, WRONG.format("config"), "write `{ name: value, … }`")
        return ()
    return settings(d, list(sort(d, value.clauses).found.values()))


def choice(d: Draft, clauses: dict[str, Clause], name: str, choices: Sequence[str]) -> NameRef | None:
    chosen = named(d, clauses, name)
    if chosen is not None and chosen.name not in choices:
        d.reject(chosen.at, f"unknown `{name}: {chosen.name}`", "expected one of `" + "`, `".join(choices) + "`")
        return None
    return chosen
