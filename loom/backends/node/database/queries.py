"""The `where` of a find as a condition of the query builder.

In: an expression of the queryable subset. Out: the text of a condition, `null` comparisons as SQL means them.
Never: an expression outside the subset (it was refused before).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.text import shapes
from loom.emit.renderer import domain_of
from loom.ir import expressions as ir
from loom.ir.expressions import Comparison, Domain, Expr, Fn, Logic
from loom.ir.types import STRING, OptionalType
from loom.plan.code.walk import reads_instance

_COMPARISONS = {
    Comparison.EQ: "eq",
    Comparison.NE: "ne",
    Comparison.LT: "lt",
    Comparison.LE: "lte",
    Comparison.GT: "gt",
    Comparison.GE: "gte",
}
_SQL = {Comparison.EQ: "=", Comparison.NE: "<>"}
_DISTINCT = {Comparison.EQ: "IS NOT DISTINCT FROM", Comparison.NE: "IS DISTINCT FROM"}
_WIDER = {Domain.LONG: "bigint", Domain.DECIMAL: "numeric"}
_TEXT_TESTS = {
    Fn.STARTS_WITH: "starts_with({0}, {1})",
    Fn.ENDS_WITH: "right({0}, length({1})) = {1}",
    Fn.STRING_CONTAINS: "strpos({0}, {1}) > 0",
}
_TEXT_VALUES = {
    Fn.TO_LOWER: '(lower({0} COLLATE "und-x-icu") COLLATE "C")',
    Fn.TO_UPPER: '(upper({0} COLLATE "und-x-icu") COLLATE "C")',
    Fn.TRIM: "btrim({0}, ${{WHITE_SPACE}})",
    Fn.START_OF_DAY: "date_trunc('day', {0}, 'UTC')",
}
_DRIZZLE = "drizzle-orm"


class Queries:
    """Conditions over one table. `spelled` is the column of a field path."""

    def __init__(
        self, renderer: NodeRenderer, spelled: Callable[[tuple[str, ...]], str], joins: Mapping[str, str]
    ) -> None:
        self.renderer = renderer
        self.spelled = spelled
        self.joins = joins

    def condition(self, e: Expr) -> str:
        if not reads_instance(e):
            return self.raw(self.value(e))
        match e:
            case ir.Logical():
                return self.call("and" if e.op is Logic.AND else "or", [self.condition(item) for item in e.operands])
            case ir.Not(operand=operand):
                return self.raw(f"(${{{self.condition(operand)}}}) IS NOT TRUE")
            case ir.Compare():
                return self.sides(e.op, e.left, e.right)
            case ir.Call():
                return self.test(e)
            case _:
                return self.call("eq", [self.column(e), "true"])

    def sides(self, op: Comparison, column: Expr, value: Expr) -> str:
        if isinstance(value, ir.Null):
            return self.call("isNull" if op is Comparison.EQ else "isNotNull", [self.column(column)])
        is_optional = isinstance(column.type, OptionalType) or isinstance(value.type, OptionalType)
        words = _DISTINCT.get(op) if is_optional else None
        if isinstance(column, ir.Convert):
            return self.raw(f"{self.hole(column)} {words or _SQL.get(op, op.value)} {self.sent(value)}")
        if words is not None:
            return self.raw(f"{self.hole(column)} {words} {self.bound(column, value)}")
        return self.call(_COMPARISONS[op], [self.column(column), self.renderer.argument(value)])

    def test(self, e: ir.Call) -> str:
        subject, *others = e.arguments
        if e.fn in _TEXT_TESTS:
            return self.raw(_TEXT_TESTS[e.fn].format(self.hole(subject), self.value(others[0])))
        if e.fn is Fn.CONTAINS and isinstance(subject, ir.Field):
            return self.contains(subject, others[0])
        raise TypeError(f"{e.fn} is no condition of a query")

    def contains(self, subject: ir.Field, value: Expr) -> str:
        if subject.name in self.joins and isinstance(subject.receiver, ir.This):
            return self.raw(self.joins[subject.name].format(self.value(value)))
        return self.call("arrayContains", [self.column(subject), shapes.listed([self.renderer.argument(value)])])

    def path(self, e: Expr) -> tuple[str, ...]:
        """The field path that `e` reads of `this`, or nothing."""
        match e:
            case ir.Field(receiver=ir.This(), name=name):
                return (name,)
            case ir.Field(receiver=receiver, name=name) if before := self.path(receiver):
                return (*before, name)
            case _:
                return ()

    def column(self, e: Expr) -> str:
        if isinstance(e, ir.Call) and e.fn in _TEXT_VALUES:
            return self.raw(_TEXT_VALUES[e.fn].format(self.hole(e.arguments[0])))
        if isinstance(e, ir.Convert):
            return self.raw(f"{self.hole(e.operand)}::{_WIDER[domain_of(e.type)]}")
        return self.spelled(self.path(e))

    def hole(self, e: Expr) -> str:
        """`${column}` for a template."""
        return f"${{{self.column(e)}}}"

    def value(self, e: Expr) -> str:
        return f"${{{self.renderer.argument(e)}}}"

    def bound(self, column: Expr, value: Expr) -> str:
        """A value encoded as its column is; the database takes an untyped null as it is."""
        param = self.renderer.need(_DRIZZLE, "sql") + ".param"
        return f"${{{param}({self.renderer.argument(value)}, {self.column(column)})}}"

    def sent(self, value: Expr) -> str:
        """A number for which no column knows the encoding: a decimal goes as text."""
        if domain_of(value.type) is not Domain.DECIMAL:
            return self.value(value)
        text = OptionalType(of=STRING) if isinstance(value.type, OptionalType) else STRING
        return self.value(ir.Convert(type=text, operand=value))

    def raw(self, text: str) -> str:
        if "WHITE_SPACE" in text:
            self.renderer.need("src/domain/values/texts", "WHITE_SPACE")
        return f"{self.renderer.need(_DRIZZLE, 'sql')}`{text}`"

    def call(self, function: str, arguments: list[str]) -> str:
        return shapes.call(self.renderer.need(_DRIZZLE, function), arguments)
