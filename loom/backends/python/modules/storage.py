"""How aggregates become rows and rows become aggregates.

In: the Plan's tables of one entity. Out: table constants, and the expressions that map columns and members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.queries import table_name
from loom.backends.python.text.blocks import block
from loom.backends.python.text.patterns import each, filled, or_none
from loom.backends.python.text.shapes import OR, STEP, Call, Operators, behind, keyword
from loom.backends.python.text.statements import Statement
from loom.ir.types import ArrayType, EnumType, OptionalType, Ref, Scalar, ScalarKind, Type, bare
from loom.plan.storage import StoredApart, StoredColumn, StoredGroup, StoredMember, TablePlan

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


Apart = Callable[[tuple[str, ...]], str]
"""What is read from a table of its own, by its path."""


class RowMapper:
    """Between the members of an instance and the columns of its row."""

    def __init__(self, needs: set[str]) -> None:
        self.needs = needs

    def row(self, members: Iterable[StoredMember], owner: str, absent: tuple[str, ...] = ()) -> Iterator[str]:
        """`"column": value` of every column that stores something of `owner`; null where one of `absent` is."""
        for item in members:
            value = f"{owner}.{spelling.member_name(item.name)}"
            match item:
                case StoredColumn(column=column, type=kind):
                    converted = self.to_column(bare(kind), value)
                    tested = isinstance(kind, OptionalType) and converted != value
                    yield entry(column, unless_absent(converted, (*absent, value) if tested else absent))
                case StoredGroup(members=inner):
                    inside = (*absent, value) if item.optional else absent
                    if item.is_marked:
                        yield entry(item.witness, unless_absent("True", inside))
                    yield from self.row(inner, value, inside)

    def to_column(self, kind: Type, value: str) -> str:
        if kind == Scalar(kind=ScalarKind.MONEY):
            self.needs.add("app.values:decimals")
            return filled("decimals.money({})", value)
        if isinstance(kind, ArrayType):
            item = self.to_column(kind.of, "item")
            return filled("list({})", value) if item == "item" else each(item, value)
        return value

    def read(self, item: StoredMember, row: str, apart: Apart) -> str:
        """The value of a member, out of a row."""
        match item:
            case StoredColumn(column=column, type=kind):
                found = row_item(row, column)
                value = self.from_column(bare(kind), found)
                return or_none(found, value) if isinstance(kind, OptionalType) and value != found else value
            case StoredGroup():
                value = self.made(item.ref, item.members, row, apart)
                return or_none(row_item(row, item.witness), value) if item.optional else value
            case StoredApart():
                return apart(item.path)
        assert_never(item)

    def made(self, ref: Ref, members: Iterable[StoredMember], row: str, apart: Apart) -> str:
        """A value object out of a row."""
        values = [keyword(spelling.member_name(item.name), self.read(item, row, apart)) for item in members]
        return Call(types.value_object(ref, self.needs), values)

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


def entry(column: str, value: str) -> str:
    return behind(f'"{column}": ', value)


def reached(members: Iterable[StoredMember], owner: str, path: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The value at `path` below `owner`, and the optional values on the way to it."""
    value, absent, found = owner, tuple[str, ...](), {item.name: item for item in members}
    for name in path:
        item, value = found[name], f"{value}.{spelling.member_name(name)}"
        if isinstance(item, StoredGroup):
            absent = (*absent, value) if item.optional else absent
            found = {inner.name: inner for inner in item.members}
    return value, absent


def unless_absent(value: str, absent: Sequence[str], otherwise: str = "None") -> str:
    """`value`, or `otherwise` where one of `absent` is null."""
    if not absent:
        return value
    tests = [filled("{} is None", item) for item in absent]
    test = Operators([("or " * (at > 0), item) for at, item in enumerate(tests)], OR) if tests[1:] else tests[0]
    return filled("{} if {} else {}", otherwise, test, value)


def handed(path: Iterable[str]) -> str:
    """The parameter of a reader for what has tables of its own, beside the row."""
    spelled = spelling.member_name("_".join(path))
    return f"{spelled}_" if spelled == "row" else spelled
