"""Conditions of finds as SQLAlchemy expressions over one table.

In: conditions of the Plan. Out: Python text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loom.backends.python import spelling
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.text import shapes
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import COMPARISON, Operators, quoted
from loom.emit.conditions import Conditions
from loom.emit.renderer import Form
from loom.ir.expressions import Comparison, Domain, Expr, Fn
from loom.plan.queries import Compared
from loom.plan.storage import EntityTables

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


class Queries(Conditions):
    """Conditions over the tables of one aggregate."""

    def __init__(self, values: ArgumentRenderer, tables: EntityTables) -> None:
        self.values = values
        self.needs = values.needs
        self.tables = tables
        self.table = table_name(tables.table.name)

    def need(self, name: str) -> str:
        self.needs.add(f"sqlalchemy:{name}")
        return name

    def fixed(self, value: Expr) -> str:
        return filled(f"{self.need('literal')}({{}})", self.values.line(value))

    def all_of(self, truths: Sequence[str]) -> str:
        return shapes.Call(self.need("and_"), truths)

    def any_of(self, truths: Sequence[str]) -> str:
        return shapes.Call(self.need("or_"), truths)

    def not_true(self, truth: str) -> str:
        return filled("{}.is_not(True)", shapes.Parenthesized("", [truth]) if isinstance(truth, Operators) else truth)

    def is_true(self, operand: str) -> str:
        return operand

    def is_null(self, operand: str, *, negated: bool) -> str:
        return filled("{}.is_not(None)" if negated else "{}.is_(None)", operand)

    def text_test(self, fn: Fn, operand: str, value: Expr) -> str:
        return filled(_TESTS[fn], operand, self.values.line(value))

    def array_holds(self, operand: str, value: Expr) -> str:
        return filled("{}.any({})", operand, self.values.line(value))

    def column(self, name: str) -> str:
        return column(self.table, name)

    def mapped(self, fn: Fn, operand: str) -> str:
        self.needs.update(_MAPPED[fn].needs)
        return filled(_MAPPED[fn].pattern, operand)

    def widened(self, domain: Domain, operand: str) -> str:
        kind = self.need("BigInteger" if domain is Domain.LONG else "Numeric")
        return filled(f"{self.need('cast')}({{}}, {{}})", operand, kind)

    def compared(self, e: Compared) -> str:
        left = self.operand(e.operand)
        if e.domain is Domain.STRING and e.op not in (Comparison.EQ, Comparison.NE):
            left = filled(f'{self.need("collate")}({{}}, "C")', left)
        elif e.op is Comparison.NE and e.null_safe:
            return filled("{}.is_distinct_from({})", left, self.values.line(e.value))
        return Operators([("", left), (f"{e.op.value} ", self.values.operand(e.value))], COMPARISON)

    def row_holds(self, field: str, value: Expr) -> str:
        child = self.tables.collection(field)
        table = table_name(child.table.name)
        columns = (column(table, child.owner_column), column(self.table, "id"), column(table, child.target_column))
        return filled(f"{self.need('exists')}().where({{}} == {{}}, {{}} == {{}})", *columns, self.values.line(value))


def table_name(name: str) -> str:
    """The constant that holds a table."""
    return f"{spelling.module_name(name).rstrip('_')}_table"
