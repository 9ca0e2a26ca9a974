"""Between rows and the domain: how an entity is read from its columns and written to them.

In: an entity's fields and tables. Out: texts of object literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from loom.backends.node.code.types import bare
from loom.backends.node.database.schema import column_key
from loom.backends.node.model import Model
from loom.backends.node.text import shapes
from loom.emit.renderer import Code
from loom.ir.types import OptionalType, Type, ValueObjectType
from loom.plan.model import FieldPlan
from loom.plan.storage import ColumnPlan, OptionalGroup

Path = tuple[str, ...]


class Rows:
    """The columns of one table. `children` are fields that lie in tables of their own."""

    def __init__(self, model: Model, columns: Sequence[ColumnPlan], groups: Iterable[OptionalGroup]) -> None:
        self.model = model
        self.columns = columns
        self.keys = {column.path: column_key(column) for column in columns if column.path}
        self.types = {column.path: column for column in columns if column.path}
        self.witnesses = {group.path: group.witness for group in groups}

    def members(self, fields: Iterable[FieldPlan], children: Mapping[str, Code], path: Path = ()) -> list[str]:
        """The members of a literal that holds `fields`."""
        return [
            shapes.member(field.name, children.get(field.name) or self.read(field.type, (*path, field.name)))
            for field in fields
        ]

    def read(self, kind: Type, path: Path) -> Code:
        inner = bare(kind)
        if not isinstance(inner, ValueObjectType):
            return shapes.atom(f"row.{self.keys[path]}")
        fields = self.model.value_objects[inner.ref].fields
        literal = shapes.braces(self.members(fields, {}, path))
        if not isinstance(kind, OptionalType):
            return shapes.atom(literal)
        keys = self.presence(path, inner)
        absent = shapes.infix("||", shapes.OR, [f"row.{key} === null" for key in keys])
        return shapes.choice(absent, shapes.atom("null"), shapes.atom(literal))

    def presence(self, path: Path, kind: ValueObjectType) -> list[str]:
        """The columns that are null exactly when the optional value object at `path` is."""
        witness = next(column for column in self.columns if column.name == self.witnesses[path])
        return list(self.required(path, kind)) if witness.path else [column_key(witness)]

    def required(self, path: Path, kind: ValueObjectType) -> Iterable[str]:
        for field in self.model.value_objects[kind.ref].fields:
            below = (*path, field.name)
            if isinstance(field.type, ValueObjectType):
                yield from self.required(below, field.type)
            elif not isinstance(field.type, OptionalType):
                yield self.keys[below]

    def written(self, subject: str, fields: Iterable[FieldPlan]) -> list[str]:
        """The members of a row, from the entity that `subject` names."""
        return [
            shapes.member(key, code)
            for field in fields
            for key, code in self.write(field.type, (field.name,), subject, optional=False)
        ]

    def write(self, kind: Type, path: Path, owner: str, *, optional: bool) -> list[tuple[str, Code]]:
        value = f"{owner}{'?' if optional else ''}.{path[-1]}"
        inner = bare(kind)
        if not isinstance(inner, ValueObjectType):
            return [(self.keys[path], _or_null(value, optional))] if path in self.keys else []
        inside = optional or isinstance(kind, OptionalType)
        found = [
            pair
            for field in self.model.value_objects[inner.ref].fields
            for pair in self.write(field.type, (*path, field.name), value, optional=inside)
        ]
        return [*self.mark(path, value, optional), *found]

    def mark(self, path: Path, value: str, optional: bool) -> list[tuple[str, Code]]:
        """The column that tells an absent value object from an empty one."""
        witness = self.witnesses.get(path)
        column = next((item for item in self.columns if item.name == witness and not item.path), None)
        if column is None:
            return []
        there = shapes.wrapped(_or_null(value, optional), shapes.EQUALITY)
        absent = shapes.infix("===", shapes.EQUALITY, [there, "null"])
        return [(column_key(column), shapes.choice(absent, shapes.atom("null"), shapes.atom("true")))]


def _or_null(value: str, optional: bool) -> Code:
    return shapes.infix("??", shapes.COALESCE, [value, "null"]) if optional else shapes.atom(value)
