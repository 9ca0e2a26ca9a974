"""What rows that are stored already get in a new required column: the literal default of its field.

In: a column's path and the properties of its table. Out: an SQL literal, or nothing.
Never: a value that depends on the row or the moment.
"""

from __future__ import annotations

from loom.ir.expressions import Construct, Convert, EnumLiteral, Expr, ListLiteral, Literal
from loom.ir.program import Property
from loom.ir.types import EnumType, Scalar, ScalarKind, Type, ValueObjectType, bare
from loom.plan.database.columns import Declared
from loom.plan.database.ddl import literal
from loom.plan.storage import ColumnPlan

_WITHOUT_LITERAL = (ScalarKind.DATETIME, ScalarKind.GUID, ScalarKind.JSON)
_BARE = (ScalarKind.INT, ScalarKind.LONG, ScalarKind.DECIMAL, ScalarKind.MONEY, ScalarKind.BOOL)


def backfill(column: ColumnPlan, properties: tuple[Property, ...], declared: Declared) -> str:
    """The SQL literal for `column`, or the empty string when its field has none."""
    if column.sql_type.partition(" ")[0].endswith("[]"):
        return "'{}'"
    if not column.path and column.witness == column.name:
        return "TRUE"
    default = _default(column.path, properties, declared) if column.path else None
    return _sql(default) if default is not None else ""


def has_literals(kind: Type) -> bool:
    """Whether a model can write a value of this type that is the same for every row."""
    return isinstance(kind, EnumType) or (isinstance(kind, Scalar) and kind.kind not in _WITHOUT_LITERAL)


def _default(path: tuple[str, ...], properties: tuple[Property, ...], declared: Declared) -> Expr | None:
    property_ = next((item for item in properties if item.name == path[0]), None)
    if property_ is None:
        return None
    if property_.default is not None:
        return _member(property_.default, path[1:])
    kind = bare(property_.type)
    if isinstance(kind, ValueObjectType) and path[1:]:
        return _default(path[1:], declared.value_objects[kind.ref].properties, declared)
    return None


def _member(value: Expr, path: tuple[str, ...]) -> Expr | None:
    for name in path:
        if not isinstance(value, Construct):
            return None
        found = next((item.value for item in value.fields if item.name == name), None)
        if found is None:
            return None
        value = found
    return value


def _sql(value: Expr) -> str:
    match value:
        case Literal(type=Scalar(kind=kind), text=text):
            return text if kind in _BARE else literal(text)
        case EnumLiteral(value=text):
            return literal(text)
        case Convert(operand=Literal() as inner):
            return _sql(inner)
        case ListLiteral(items=()):
            return "'{}'"
        case _:
            return ""
