"""What a condition says about optionals: `x != null` makes `x` certain where the condition holds.

In: a frame and a condition as written. Out: the frame in which the guarded paths are not optional.
Never: a diagnostic; the condition itself is lowered elsewhere.
"""

from __future__ import annotations

from loom.ir.types import OptionalType, Type
from loom.lower.scope.frames import Frame
from loom.lower.scope.members_of import instance_of
from loom.parse import ast


def path_of(frame: Frame, node: ast.Expression) -> str:
    """The printed path of a name or member chain, the same for `x` and `this.x`; empty for anything else."""
    match node:
        case ast.This():
            return "this"
        case ast.Name(name=name) if name in frame.locals:
            return name
        case ast.Name(name=name) if frame.this is not None and name in frame.this.members:
            return f"this.{name}"
        case ast.Member(target=target, name=name):
            inner = path_of(frame, target)
            return f"{inner}.{name}" if inner else ""
        case _:
            return ""


def narrowed_by(frame: Frame, condition: ast.Expression) -> Frame:
    match condition:
        case ast.Binary(operator=ast.BinaryOperator.AND, operands=operands):
            for operand in operands:
                frame = narrowed_by(frame, operand)
        case ast.Binary(operator=ast.BinaryOperator.NOT_EQUAL, operands=(left, ast.NullLiteral())):
            return _certain(frame, left)
        case ast.Binary(operator=ast.BinaryOperator.NOT_EQUAL, operands=(ast.NullLiteral(), right)):
            return _certain(frame, right)
    return frame


def _certain(frame: Frame, node: ast.Expression) -> Frame:
    path = path_of(frame, node)
    type_ = _type_at(frame, node) if path else None
    return frame.narrow(path, type_.of) if isinstance(type_, OptionalType) else frame


def _type_at(frame: Frame, node: ast.Expression) -> Type | None:
    """The type of a path, without reporting anything."""
    known = frame.narrowed.get(path_of(frame, node))
    if known is not None:
        return known
    match node:
        case ast.Name(name=name) if name in frame.locals:
            return frame.locals[name].type
        case ast.Name(name=name) if frame.this is not None:
            return frame.this.members[name].type
        case ast.This() if frame.this is not None:
            return frame.this.type
        case ast.Member(target=target, name=name):
            owner = _type_at(frame, target)
            shape = instance_of(frame.scope.tables, owner) if owner is not None else None
            found = shape.members.get(name) if shape is not None else None
            return found.type if found is not None else None
        case _:
            return None
