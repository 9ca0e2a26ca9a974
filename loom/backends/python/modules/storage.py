"""How aggregates become rows and rows become aggregates.

In: the Plan's tables of one entity. Out: table constants, and the expressions that map columns and members.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.queries import table_name
from loom.backends.python.text.blocks import block
from loom.backends.python.text.patterns import each, filled, or_none
from loom.backends.python.text.shapes import OR, STEP, Call, Operators, behind, keyword
from loom.backends.python.text.statements import Statement
from loom.emit.index import ServiceIndex
from loom.ir.types import ArrayType, EnumType, OptionalType, Scalar, ScalarKind, Type, ValueObjectType
from loom.plan.model import FieldPlan
from loom.plan.storage import CollectionTable, ColumnPlan, OptionalGroup, TablePlan

_COLUMN_TYPES = {
    ScalarKind.INT: ("Integer", "sqlalchemy:Integer"),
    ScalarKind.LONG: ("BigInteger", "sqlalchemy:BigInteger"),
    ScalarKind.DECIMAL: ("Numeric(28, 12)", "sqlalchemy:Numeric"),
    ScalarKind.MONEY: ("Numeric(19, 4)", "sqlalchemy:Numeric"),
    ScalarKind.STRING: ("Text", "sqlalchemy:Text"),
    ScalarKind.BOOL: ("Boolean", "sqlalchemy:Boolean"),
    ScalarKind.DATETIME: ("DateTime(timezone=True)", "sqlalchemy:DateTime"),
    ScalarKind.JSON: ("JSONB(none_as_null=True)", "sqlalchemy.dialects.postgresql:JSONB"),
}


def table_lines(table: TablePlan, needs: set[str]) -> Iterator[str]:
    """The constant that holds a table."""
    needs.update({"sqlalchemy:Table", "sqlalchemy:Column", "sqlalchemy:MetaData"})
    yield f"{table_name(table.name)} = Table("
    yield from block([f'"{table.name}",', "metadata,"])
    for item in table.columns:
        key = ["primary_key=True"] if item.name in table.primary_key else []
        column = Call("Column", [f'"{item.name}"', column_type(item.type, needs), *key])
        yield Statement("", column, after=",", depth=STEP)
    yield ")"


def column_type(kind: Type, needs: set[str]) -> str:
    match kind:
        case ArrayType(of=inner):
            needs.add("sqlalchemy.dialects.postgresql:ARRAY")
            return filled("ARRAY({})", column_type(inner, needs))
        case Scalar(kind=ScalarKind() as scalar) if scalar in _COLUMN_TYPES:
            text, need = _COLUMN_TYPES[scalar]
            needs.add(need)
            return filled(text) if "(" in text else text
        case EnumType():
            needs.add("sqlalchemy:Text")
            return "Text"
        case _:
            needs.add("sqlalchemy:Uuid")
            return filled("Uuid(as_uuid=False)")


class RowMapper:
    """One entity, or one element of a collection of value objects."""

    def __init__(self, index: ServiceIndex, needs: set[str]) -> None:
        self.index = index
        self.needs = needs

    def row(self, layout: Layout, fields: Sequence[FieldPlan], instance: str) -> list[str]:
        """`"column": value` of every column that stores something of `instance`."""
        witnesses = {group.witness: group.path for group in layout.groups}
        entries = []
        for item in layout.columns:
            if item.path:
                entries.append(behind(f'"{item.name}": ', self.stored(item.path, fields, instance)))
            elif item.name in witnesses:
                present = self.unless_absent("True", witnesses[item.name], fields, instance, leaf=True)
                entries.append(behind(f'"{item.name}": ', present))
        return entries

    def stored(self, path: tuple[str, ...], fields: Sequence[FieldPlan], instance: str) -> str:
        """What a column gets of the member at `path`; null when an optional one on the way there is null."""
        value = ".".join([instance, *map(spelling.member_name, path)])
        kind = self.kind_at(path, fields)
        converted = self.to_column(kind.of if isinstance(kind, OptionalType) else kind, value)
        leaf = isinstance(kind, OptionalType) and converted != value
        return self.unless_absent(converted, path, fields, instance, leaf=leaf)

    def unless_absent(
        self, value: str, path: tuple[str, ...], fields: Sequence[FieldPlan], instance: str, *, leaf: bool
    ) -> str:
        """`value`, or null where something is null up to `path`."""
        tests = []
        for end in range(1, len(path) + (1 if leaf else 0)):
            if isinstance(self.kind_at(path[:end], fields), OptionalType):
                tests.append(filled("{} is None", ".".join([instance, *map(spelling.member_name, path[:end])])))
        if not tests:
            return value
        absent = Operators([("or " * (at > 0), test) for at, test in enumerate(tests)], OR) if tests[1:] else tests[0]
        return filled("None if {} else {}", absent, value)

    def kind_at(self, path: tuple[str, ...], fields: Sequence[FieldPlan]) -> Type:
        kind = next(item.type for item in fields if item.name == path[0])
        for name in path[1:]:
            inner = without_optional(kind)
            if not isinstance(inner, ValueObjectType):
                raise TypeError(f"{name} is a member of no value object")
            members = self.index.value_objects[inner.ref].fields
            kind = next(item.type for item in members if item.name == name)
        return kind

    def to_column(self, kind: Type, value: str) -> str:
        if kind == Scalar(kind=ScalarKind.MONEY):
            self.needs.add("app.values:decimals")
            return filled("decimals.money({})", value)
        if isinstance(kind, ArrayType):
            item = self.to_column(kind.of, "item")
            return filled("list({})", value) if item == "item" else each(item, value)
        return value

    def read(self, item: FieldPlan, tables: Layout, row: str, path: tuple[str, ...] = ()) -> str:
        """The value of a field, out of a row."""
        return self.read_type(item.type, (*path, item.name), tables, row)

    def read_type(self, kind: Type, path: tuple[str, ...], tables: Layout, row: str) -> str:
        inner = kind.of if isinstance(kind, OptionalType) else kind
        if isinstance(inner, ValueObjectType):
            value = self.read_value(inner, path, tables, row)
            witness = next((group.witness for group in tables.groups if group.path == path), "")
            return or_none(row_item(row, witness), value) if isinstance(kind, OptionalType) else value
        name = next(column.name for column in tables.columns if column.path == path)
        column = row_item(row, name)
        value = self.from_column(inner, column)
        return or_none(column, value) if kind != inner and value != column else value

    def read_value(self, kind: ValueObjectType, path: tuple[str, ...], tables: Layout, row: str) -> str:
        fields = self.index.value_objects[kind.ref].fields
        members = [keyword(spelling.member_name(item.name), self.read(item, tables, row, path)) for item in fields]
        return Call(types.value_object(kind.ref, self.needs), members)

    def from_column(self, kind: Type, column: str) -> str:
        match kind:
            case EnumType(ref=ref):
                return Call(types.enum(ref, self.needs), [column])
            case ArrayType(of=EnumType() as inner):
                return each(self.from_column(inner, "item"), column)
            case _:
                return column


def row_item(row: str, column: str) -> str:
    return filled("{}[{}]", row, f'"{column}"')


class Layout(NamedTuple):
    """The columns that hold something, and the value objects among it that may be null."""

    columns: Sequence[ColumnPlan]
    groups: Sequence[OptionalGroup]


def element_type(kind: Type) -> ValueObjectType:
    """What a collection of value objects holds."""
    inner = without_optional(kind)
    if isinstance(inner, ArrayType) and isinstance(inner.of, ValueObjectType):
        return inner.of
    raise TypeError("not a collection of value objects")


def without_optional(kind: Type) -> Type:
    return kind.of if isinstance(kind, OptionalType) else kind


def target_column(collection: CollectionTable) -> str:
    return next(item.name for item in collection.table.columns if item.name != collection.owner_column)
