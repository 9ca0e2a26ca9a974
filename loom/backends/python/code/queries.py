"""Conditions of finds as SQLAlchemy expressions over one table.

In: a condition in the queryable subset. Out: Python text; columns come from the Plan's storage.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.backends.python import spelling
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.text import shapes
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import COMPARISON, Operators, quoted
from loom.emit.index import ServiceIndex
from loom.emit.renderer import ATOM, Code, Form, Op
from loom.ir.expressions import (
    Call,
    Compare,
    Comparison,
    Convert,
    Domain,
    Expr,
    Field,
    FieldKind,
    Fn,
    Logic,
    Logical,
    Not,
    Null,
    This,
)
from loom.ir.types import LONG, OptionalType
from loom.plan.code.walk import reads_instance
from loom.plan.storage import CollectionTable, EntityTables

# What `table.c` has of its own: a column of that name is reached by index.
_COLLECTION = frozenset(
    {
        "add",
        "as_readonly",
        "clear",
        "compare",
        "contains_column",
        "corresponding_column",
        "extend",
        "get",
        "items",
        "keys",
        "remove",
        "update",
        "values",
    }
)


def _letters(function: str) -> Form:
    """Full Unicode mapping, whatever the locale of the database; then compared by code point again."""
    mapped = f'collate(func.{function}(collate({{0}}, "und-x-icu")), "C")'
    return Form(mapped, ("sqlalchemy:func", "sqlalchemy:collate"))


_STRINGS: Mapping[Fn, Form] = {
    Fn.TRIM: Form('func.btrim({0}, " \\t\\n\\r\\x0c\\x0b")', ("sqlalchemy:func",)),
    Fn.TO_UPPER: _letters("upper"),
    Fn.TO_LOWER: _letters("lower"),
    Fn.STARTS_WITH: Form("{0!}.startswith({1}, autoescape=True)"),
    Fn.ENDS_WITH: Form("{0!}.endswith({1}, autoescape=True)"),
    Fn.STRING_CONTAINS: Form("{0!}.contains({1}, autoescape=True)"),
}


def column(table: str, name: str) -> str:
    """A column of a table constant."""
    plain = name.isidentifier() and spelling.module_name(name) == name and name not in _COLLECTION
    return f"{table}.c.{name}" if plain else filled("{}.c[{}]", table, quoted(name))


class ArgumentRenderer(PythonRenderer):
    """What a find computes of its parameters."""

    def local(self, name: str) -> str:
        return spelling.query_name(name)


class QueryRenderer(ArgumentRenderer):
    """`Field(This, …)` is a column, everything that reads no column a bound value."""

    def __init__(self, index: ServiceIndex, needs: set[str], tables: EntityTables) -> None:
        super().__init__(index, needs)
        self.tables = tables
        self.table = table_name(tables.table.name)

    def truth(self, e: Expr) -> str:
        """`e` as an argument of `where` or of a connective; what reads no column is a literal."""
        if reads_instance(e):
            return self.line(e)
        self.needs.add("sqlalchemy:literal")
        return filled("literal({})", self.line(e))

    def code(self, e: Expr) -> Code:
        if not reads_instance(e):
            return PythonRenderer.code(self.values(), e)
        match e:
            case Logical(op=op, operands=operands):
                name = "and_" if op is Logic.AND else "or_"
                self.needs.add(f"sqlalchemy:{name}")
                return Code(shapes.Call(name, map(self.truth, operands)), ATOM)
            case Not(operand=operand):  # what compares with null is not true
                return Code(filled("{}.is_not(True)", self.operand(operand, ATOM)), ATOM)
            case Compare():
                return self.compared(e)
            case Call():
                return self.query_call(e)
            case Convert():
                return Code(self.widened(e), ATOM)
            case Field():
                return Code(self.column_of(e), ATOM)
            case _:
                raise TypeError(f"{type(e).__name__} is not queryable")

    def widened(self, e: Convert) -> str:
        """A column as the wider number, so that what it is compared with is sent as one."""
        inner = e.type.of if isinstance(e.type, OptionalType) else e.type
        kind = "BigInteger" if inner == LONG else "Numeric"
        self.needs.update({"sqlalchemy:cast", f"sqlalchemy:{kind}"})
        return filled("cast({}, {})", self.line(e.operand), kind)

    def values(self) -> PythonRenderer:
        return ArgumentRenderer(self.index, self.needs)

    def compared(self, e: Compare) -> Code:
        if isinstance(e.right, Null):
            return Code(filled("{}.is_(None)" if e.op is Comparison.EQ else "{}.is_not(None)", self.line(e.left)), ATOM)
        if e.domain is Domain.STRING and e.op not in (Comparison.EQ, Comparison.NE):
            self.needs.add("sqlalchemy:collate")
            left = filled('collate({}, "C")', self.line(e.left))
            return Code(Operators([("", left), (f"{e.op.value} ", self.operand(e.right))], COMPARISON), COMPARISON)
        if e.op is Comparison.NE and any(isinstance(side.type, OptionalType) for side in (e.left, e.right)):
            return Code(filled("{}.is_distinct_from({})", self.operand(e.left, ATOM), self.line(e.right)), ATOM)
        return self.infix(Op(e.op.value, COMPARISON, chains=False), (e.left, e.right))

    def query_call(self, e: Call) -> Code:
        match e:
            case Call(fn=Fn.CONTAINS, arguments=(Field() as collection, item)):
                return Code(self.contains(collection, item), ATOM)
            case Call(fn=Fn.START_OF_DAY, arguments=(operand,)):
                self.needs.add("sqlalchemy:func")
                return Code(filled('func.date_trunc("day", {}, "UTC")', self.line(operand)), ATOM)
            case _:
                return self.form(_STRINGS[e.fn], e.arguments)

    def contains(self, collection: Field, item: Expr) -> str:
        for child in self.tables.collections:  # those of the entity itself; a value object's are columns
            if child.field == collection.name and isinstance(collection.receiver, This):
                return self.exists(child, item)
        return filled("{}.any({})", self.column_of(collection), self.line(item))

    def exists(self, child: CollectionTable, item: Expr) -> str:
        self.needs.update({"sqlalchemy:exists", f"@table:{child.table.name}"})
        table = table_name(child.table.name)
        columns = (column(table, child.owner_column), column(self.table, "id"), column(table, child.target_column))
        return filled("exists().where({} == {}, {} == {})", *columns, self.line(item))

    def column_of(self, e: Field) -> str:
        path: list[str] = []
        inner: Expr = e
        while isinstance(inner, Field):
            if inner.kind in (FieldKind.ID, FieldKind.VERSION):
                return column(self.table, inner.kind.value)
            path.insert(0, inner.name)
            inner = inner.receiver
        return column(self.table, self.tables.column(tuple(path)))


def table_name(name: str) -> str:
    """The constant that holds a table."""
    return f"{spelling.module_name(name).rstrip('_')}_table"
