"""The condition of a find as a database is asked it.

In: a condition in the queryable subset, the tables of its aggregate. Out: a Condition that is worth the same.
Never: an expression outside the subset (it was refused before).
"""

from __future__ import annotations

from collections.abc import Mapping

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
from loom.ir.types import LONG, OptionalType, bare
from loom.plan.code.walk import reads_instance
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
from loom.plan.storage import EntityTables

_FLIPPED: Mapping[Comparison, Comparison] = {
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}


def asked(where: Expr, tables: EntityTables) -> Condition:
    if not reads_instance(where):
        return Fixed(value=where)
    match where:
        case Logical(op=op, operands=operands):
            conditions = tuple(asked(item, tables) for item in operands)
            return AllOf(conditions=conditions) if op is Logic.AND else AnyOf(conditions=conditions)
        case Not(operand=operand):
            return NotTrue(condition=asked(operand, tables))
        case Compare():
            return _compared(where, tables)
        case Call(fn=Fn.CONTAINS, arguments=(Field() as collection, value)):
            return _holds(collection, value, tables)
        case Call(fn=fn, arguments=(subject, value)):
            return TextTest(fn=fn, operand=_operand(subject, tables), value=value)
        case _:
            return IsTrue(operand=_column(where, tables))


def _compared(node: Compare, tables: EntityTables) -> Condition:
    """The column stands first, whichever side it was written on."""
    op, column, value = node.op, node.left, node.right
    if not reads_instance(column):
        op, column, value = _FLIPPED.get(op, op), node.right, node.left
    operand = _operand(column, tables)
    if isinstance(value, Null):
        return IsNull(operand=operand, negated=op is Comparison.NE)
    is_equality = op in (Comparison.EQ, Comparison.NE)
    null_safe = is_equality and any(isinstance(side.type, OptionalType) for side in (column, value))
    return Compared(operand=operand, op=op, domain=node.domain, value=value, null_safe=null_safe)


def _holds(collection: Field, value: Expr, tables: EntityTables) -> Condition:
    own = {item.path for item in tables.collections}  # ids that a value object holds are a column
    if isinstance(collection.receiver, This) and (collection.name,) in own:
        return RowHolds(field=collection.name, value=value)
    return ArrayHolds(operand=_column(collection, tables), value=value)


def _operand(e: Expr, tables: EntityTables) -> Operand:
    match e:
        case Call(fn=fn, arguments=(inner,)):
            return MappedOperand(fn=fn, of=_operand(inner, tables))
        case Convert(operand=inner):
            domain = Domain.LONG if bare(e.type) == LONG else Domain.DECIMAL
            return WidenedOperand(domain=domain, of=_operand(inner, tables))
        case _:
            return _column(e, tables)


def _column(e: Expr, tables: EntityTables) -> ColumnOperand:
    path: list[str] = []
    inner = e
    while isinstance(inner, Field):
        if inner.kind in (FieldKind.ID, FieldKind.VERSION):
            return ColumnOperand(column=inner.kind.value, type=e.type)
        path.insert(0, inner.name)
        inner = inner.receiver
    return ColumnOperand(column=tables.column(tuple(path)), type=e.type)
