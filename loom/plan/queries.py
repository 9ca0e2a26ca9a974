"""Conditions that a database is asked: columns against values that are known before the query runs.

In: nothing (types only). Out: `Condition`, the `where` of a find.
Never: SQL; what a value is, is an expression as any other, and reads no column.
"""

from __future__ import annotations

from loom.base import Value
from loom.ir.expressions import Comparison, Domain, Expr, Fn
from loom.ir.types import Type


class ColumnOperand(Value):
    """A column of the entity's own table; of an optional value object the one that tells whether it is there."""

    column: str
    type: Type


class MappedOperand(Value):
    """A text trimmed or in other letters (compared by code point again), or the start of an instant's day in UTC."""

    fn: Fn
    of: Operand


class WidenedOperand(Value):
    """A number as a wider one, LONG or DECIMAL, so that what it is compared with is sent as one."""

    domain: Domain
    of: Operand


Operand = ColumnOperand | MappedOperand | WidenedOperand


class Fixed(Value):
    """Nothing of the row: true or false before the query runs."""

    value: Expr


class AllOf(Value):
    conditions: tuple[Condition, ...]


class AnyOf(Value):
    conditions: tuple[Condition, ...]


class NotTrue(Value):
    """Holds where the condition does not, be it that it compares with null."""

    condition: Condition


class IsTrue(Value):
    """A truth of the row by itself."""

    operand: ColumnOperand


class IsNull(Value):
    operand: Operand
    negated: bool


class Compared(Value):
    """`operand op value`. `null_safe`: a side may be null, which is equal to null alone and unlike all else.

    Texts are compared by code point.
    """

    operand: Operand
    op: Comparison
    domain: Domain
    value: Expr
    null_safe: bool


class TextTest(Value):
    """STARTS_WITH, ENDS_WITH or STRING_CONTAINS, letter by letter."""

    fn: Fn
    operand: Operand
    value: Expr


class ArrayHolds(Value):
    """A collection in a column has the value."""

    operand: ColumnOperand
    value: Expr


class RowHolds(Value):
    """The collection of references called `field`, which has a table of its own, has the id."""

    field: str
    value: Expr


Condition = Fixed | AllOf | AnyOf | NotTrue | IsTrue | IsNull | Compared | TextTest | ArrayHolds | RowHolds
