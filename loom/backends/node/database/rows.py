"""Between rows and the domain: how an entity is read from its columns and written to them.

In: a table and the members that lie in it. Out: texts of object literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from loom.backends.node.database.schema import column_key
from loom.backends.node.text import shapes
from loom.emit.renderer import Code
from loom.plan.storage import StoredApart, StoredColumn, StoredGroup, StoredMember, TablePlan

Children = Mapping[tuple[str, ...], Code]


class Rows:
    """The columns of one table."""

    def __init__(self, table: TablePlan) -> None:
        self.keys = {column.name: column_key(column) for column in table.columns}

    def members(self, members: Iterable[StoredMember], children: Children) -> list[str]:
        """The members of a literal; `children` are those that lie in tables of their own, by their paths."""
        return [shapes.member(item.name, self.read(item, children)) for item in members]

    def read(self, item: StoredMember, children: Children) -> Code:
        match item:
            case StoredColumn(column=column):
                return shapes.atom(f"row.{self.keys[column]}")
            case StoredGroup():
                return self.group(item, children)
            case StoredApart(path=path):
                return children[path]
        assert_never(item)

    def group(self, item: StoredGroup, children: Children) -> Code:
        literal = shapes.atom(shapes.braces(self.members(item.members, children)))
        if not item.optional:
            return literal
        tested = (item.witness,) if item.is_marked else item.needed
        absent = shapes.infix("||", shapes.OR, [f"row.{self.keys[column]} === null" for column in tested])
        return shapes.choice(absent, shapes.atom("null"), literal)

    def written(self, members: Iterable[StoredMember], subject: str) -> list[str]:
        """The members of a row, from the entity that `subject` names."""
        return [shapes.member(key, code) for item in members for key, code in self.write(item, f"{subject}.", False)]

    def write(self, item: StoredMember, owner: str, is_inside: bool) -> Iterator[tuple[str, Code]]:
        """`is_inside` an optional value object, so that the member may be absent with it."""
        value = owner + item.name
        match item:
            case StoredColumn(column=column):
                yield self.keys[column], _or_null(value, is_inside)
            case StoredGroup(members=inner, optional=optional):
                if item.is_marked:
                    there = shapes.wrapped(_or_null(value, is_inside), shapes.EQUALITY)
                    absent = shapes.infix("===", shapes.EQUALITY, [there, "null"])
                    yield self.keys[item.witness], shapes.choice(absent, shapes.atom("null"), shapes.atom("true"))
                below = optional or is_inside
                for each in inner:
                    yield from self.write(each, f"{value}{'?' * below}.", below)


def reached(members: Iterable[StoredMember], owner: str, path: Iterable[str]) -> tuple[str, bool]:
    """The value at `path` below `owner`, and whether something optional lies on the way to it."""
    value, is_inside, found = owner, False, {item.name: item for item in members}
    for name in path:
        item, value = found[name], f"{value}{'?' * is_inside}.{name}"
        if isinstance(item, StoredGroup):
            is_inside = is_inside or item.optional
            found = {inner.name: inner for inner in item.members}
    return value, is_inside


def _or_null(value: str, optional: bool) -> Code:
    return shapes.infix("??", shapes.COALESCE, [value, "null"]) if optional else shapes.atom(value)
