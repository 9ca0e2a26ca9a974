"""The `where` of a find as a condition of the query builder.

In: conditions of the Plan. Out: the text of a condition, `null` comparisons as SQL means them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.text import shapes
from loom.emit.conditions import Conditions
from loom.ir import expressions as ir
from loom.ir.expressions import Comparison, Domain, Expr, Fn, domain_of
from loom.ir.types import STRING, OptionalType
from loom.plan.queries import Compared, Operand, WidenedOperand

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


class Queries(Conditions):
    """Conditions over one table. `columns` spells a column of it, `joins` are collections with tables of their own."""

    def __init__(self, renderer: NodeRenderer, columns: Callable[[str], str], joins: Callable[[str], str]) -> None:
        self.renderer = renderer
        self.columns = columns
        self.joins = joins

    def fixed(self, value: Expr) -> str:
        return self.raw(self.value(value))

    def all_of(self, truths: Sequence[str]) -> str:
        return self.call("and", truths)

    def any_of(self, truths: Sequence[str]) -> str:
        return self.call("or", truths)

    def not_true(self, truth: str) -> str:
        return self.raw(f"(${{{truth}}}) IS NOT TRUE")

    def is_true(self, operand: str) -> str:
        return self.call("eq", [operand, "true"])

    def is_null(self, operand: str, *, negated: bool) -> str:
        return self.call("isNotNull" if negated else "isNull", [operand])

    def text_test(self, fn: Fn, operand: str, value: Expr) -> str:
        return self.raw(_TEXT_TESTS[fn].format(f"${{{operand}}}", self.value(value)))

    def array_holds(self, operand: str, value: Expr) -> str:
        return self.call("arrayContains", [operand, shapes.listed([self.renderer.argument(value)])])

    def row_holds(self, field: str, value: Expr) -> str:
        return self.raw(self.joins(field).format(self.value(value)))

    def column(self, name: str) -> str:
        return self.columns(name)

    def mapped(self, fn: Fn, operand: str) -> str:
        return self.raw(_TEXT_VALUES[fn].format(f"${{{operand}}}"))

    def widened(self, domain: Domain, operand: str) -> str:
        return self.raw(f"${{{operand}}}::{_WIDER[domain]}")

    def compared(self, e: Compared) -> str:
        words = _DISTINCT[e.op] if e.null_safe else ""
        if isinstance(e.operand, WidenedOperand):
            return self.raw(f"{self.hole(e.operand)} {words or _SQL.get(e.op, e.op.value)} {self.sent(e.value)}")
        if words:
            return self.raw(f"{self.hole(e.operand)} {words} {self.bound(e.operand, e.value)}")
        return self.call(_COMPARISONS[e.op], [self.operand(e.operand), self.renderer.argument(e.value)])

    def hole(self, e: Operand) -> str:
        """`${column}` for a template."""
        return f"${{{self.operand(e)}}}"

    def value(self, e: Expr) -> str:
        return f"${{{self.renderer.argument(e)}}}"

    def bound(self, column: Operand, value: Expr) -> str:
        """A value encoded as its column is; the database takes an untyped null as it is."""
        param = self.renderer.need(_DRIZZLE, "sql") + ".param"
        return f"${{{param}({self.renderer.argument(value)}, {self.operand(column)})}}"

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

    def call(self, function: str, arguments: Iterable[str]) -> str:
        return shapes.call(self.renderer.need(_DRIZZLE, function), arguments)
