"""Conditions of finds as SQLAlchemy expressions over one table.

In: conditions of the Plan. Out: Python text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.text import shapes
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import COMPARISON, Operators, quoted
from loom.emit.renderer import Form
from loom.ir.expressions import Comparison, Domain, Expr, Fn
from loom.plan.queries import (
    AllOf,
    AnyOf,
    ArrayHolds,
    ColumnOperand,
    Compared,
    Condition,
    Fixed,
    IsNull,
    IsTrue,
    MappedOperand,
    NotTrue,
    Operand,
    RowHolds,
    TextTest,
    WidenedOperand,
)
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


_MAPPED: Mapping[Fn, Form] = {
    Fn.TRIM: Form('func.btrim({0}, " \\t\\n\\r\\x0c\\x0b")', ("sqlalchemy:func",)),
    Fn.TO_UPPER: _letters("upper"),
    Fn.TO_LOWER: _letters("lower"),
    Fn.START_OF_DAY: Form('func.date_trunc("day", {0}, "UTC")', ("sqlalchemy:func",)),
}
_TESTS: Mapping[Fn, str] = {
    Fn.STARTS_WITH: "{}.startswith({}, autoescape=True)",
    Fn.ENDS_WITH: "{}.endswith({}, autoescape=True)",
    Fn.STRING_CONTAINS: "{}.contains({}, autoescape=True)",
}


def column(table: str, name: str) -> str:
    """A column of a table constant."""
    plain = name.isidentifier() and spelling.module_name(name) == name and name not in _COLLECTION
    return f"{table}.c.{name}" if plain else filled("{}.c[{}]", table, quoted(name))


class ArgumentRenderer(PythonRenderer):
    """What a find computes of its parameters."""

    def local(self, name: str) -> str:
        return spelling.query_name(name)


class Queries:
    """Conditions over the tables of one aggregate."""

    def __init__(self, values: ArgumentRenderer, tables: EntityTables) -> None:
        self.values = values
        self.needs = values.needs
        self.tables = tables
        self.table = table_name(tables.table.name)

    def need(self, name: str) -> str:
        self.needs.add(f"sqlalchemy:{name}")
        return name

    def truth(self, e: Condition) -> str:
        match e:
            case Fixed(value=value):
                return filled(f"{self.need('literal')}({{}})", self.values.line(value))
            case AllOf(conditions=conditions):
                return shapes.Call(self.need("and_"), map(self.truth, conditions))
            case AnyOf(conditions=conditions):
                return shapes.Call(self.need("or_"), map(self.truth, conditions))
            case NotTrue(condition=condition):
                return filled("{}.is_not(True)", self.receiver(condition))
            case _:
                return self.test(e)

    def receiver(self, e: Condition) -> str:
        truth = self.truth(e)
        return shapes.Parenthesized("", [truth]) if isinstance(truth, Operators) else truth

    def test(self, e: IsTrue | IsNull | Compared | TextTest | ArrayHolds | RowHolds) -> str:
        match e:
            case IsTrue(operand=operand):
                return self.operand(operand)
            case IsNull(operand=operand, negated=negated):
                return filled("{}.is_not(None)" if negated else "{}.is_(None)", self.operand(operand))
            case Compared():
                return self.compared(e)
            case TextTest(fn=fn, operand=operand, value=value):
                return filled(_TESTS[fn], self.operand(operand), self.values.line(value))
            case ArrayHolds(operand=operand, value=value):
                return filled("{}.any({})", self.operand(operand), self.values.line(value))
            case RowHolds(field=field, value=value):
                return self.exists(self.tables.collection(field), value)
        assert_never(e)

    def operand(self, e: Operand) -> str:
        match e:
            case ColumnOperand(column=name):
                return column(self.table, name)
            case MappedOperand(fn=fn, of=inner):
                self.needs.update(_MAPPED[fn].needs)
                return filled(_MAPPED[fn].pattern, self.operand(inner))
            case WidenedOperand(domain=domain, of=inner):
                kind = self.need("BigInteger" if domain is Domain.LONG else "Numeric")
                return filled(f"{self.need('cast')}({{}}, {{}})", self.operand(inner), kind)
        assert_never(e)

    def compared(self, e: Compared) -> str:
        left = self.operand(e.operand)
        if e.domain is Domain.STRING and e.op not in (Comparison.EQ, Comparison.NE):
            left = filled(f'{self.need("collate")}({{}}, "C")', left)
        elif e.op is Comparison.NE and e.null_safe:
            return filled("{}.is_distinct_from({})", left, self.values.line(e.value))
        return Operators([("", left), (f"{e.op.value} ", self.values.operand(e.value))], COMPARISON)

    def exists(self, child: CollectionTable, item: Expr) -> str:
        table = table_name(child.table.name)
        columns = (column(table, child.owner_column), column(self.table, "id"), column(table, child.target_column))
        return filled(f"{self.need('exists')}().where({{}} == {{}}, {{}} == {{}})", *columns, self.values.line(item))


def table_name(name: str) -> str:
    """The constant that holds a table."""
    return f"{spelling.module_name(name).rstrip('_')}_table"
