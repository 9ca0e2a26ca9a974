"""The error that a find of `T or Error` answers when it finds nothing.

In: the find, and the frame that knows its parameters. Out: the error record, its fields taken from parameters.
"""

from __future__ import annotations

from loom.ir.expressions import Construct, Expr, FieldValue, Local
from loom.ir.types import RecordType, Type, UnionType
from loom.lower.expressions.fields import absent
from loom.lower.problems.finds import UnionFindShapeUnsupported
from loom.lower.scope.frames import Frame
from loom.lower.scope.relations import fitted, show
from loom.lower.scope.shapes import FindShape, InstanceShape, MemberShape
from loom.parse import ast


def absent_error(frame: Frame, declared: ast.Find, find: FindShape) -> Expr | None:
    """None when no error stands beside the aggregate, or a field of it has no value; that has been reported then."""
    tables = frame.scope.tables
    at, returns = frame.at(declared.returns.at), find.returns
    variants: tuple[Type, ...] = returns.variants if isinstance(returns, UnionType) else ()
    error = next((item for item in variants if isinstance(item, RecordType) and item.ref in tables.errors), None)
    if error is None:
        aggregate = frame.aggregate.instance.name if frame.aggregate is not None else ""
        problem = UnionFindShapeUnsupported(at=at, case="error", found=show(returns), aggregate=aggregate)
        return frame.fail(problem)
    shape = tables.records[error.ref.name]
    values = {item.name: _value(frame, shape, item, find) for item in shape.stored()}
    for name, value in values.items():
        if value is None and shape.members[name].type is not None:
            frame.report(UnionFindShapeUnsupported(at=at, case="field", found=name, aggregate=shape.name))
    fields = tuple(FieldValue(name=name, value=value) for name, value in values.items() if value is not None)
    return Construct(type=shape.type, fields=fields) if len(fields) == len(values) else None


def _value(frame: Frame, shape: InstanceShape, member: MemberShape, find: FindShape) -> Expr | None:
    """The parameter of the field's name, or what the field is when nobody gives it."""
    given = next((item.type for item in find.parameters if item.name == member.name), None)
    if given is None or member.type is None:
        return absent(frame, shape, member)
    return fitted(Local(type=given, name=member.name), member.type)
