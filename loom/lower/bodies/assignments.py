"""`:=`, `+=` and `-=`: which field is meant, and whether it may be set here.

In: an assignment as written. Out: a resolved Assign, Append or Remove on own fields.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from loom.base import nearest
from loom.ir import statements as ir
from loom.ir.expressions import Arithmetic, Expr, Field, FieldKind, This
from loom.ir.program import Access
from loom.ir.types import MONEY, ArrayType, IdType, OptionalType, PartType, Type, ValueObjectType
from loom.lower.expressions.defaults import assigned, hint
from loom.lower.expressions.operators.arithmetic import Side, combine
from loom.lower.expressions.sensitivity import check_flow, tags_of
from loom.lower.problems.bodies import AssignmentTarget, CollectionElementType
from loom.lower.scope.frames import UNTOLD, Body, Frame
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.relations import fitted, is_number, show
from loom.lower.scope.shapes import InstanceShape, MemberShape
from loom.parse import ast

Case = Literal["unknown", "derived", "identity", "immutable", "local", "foreign", "function"]


class Target(NamedTuple):
    """A settable field; `read` reads what it holds now."""

    path: tuple[str, ...]
    type: Type
    read: Expr

    @property
    def printed(self) -> str:
        return ".".join(self.path)


def assignment(frame: Frame, node: ast.Assign) -> ir.Statement | None:
    target = _target(frame, node)
    if target is None:
        frame.lower(node.value, UNTOLD)
        return None
    if node.operator is ast.AssignOperator.SET:
        value = frame.lower(node.value, target.type)
        fit = assigned(frame, node.value.at, target.printed, value, target.type) if value is not None else None
        _check_flow(frame, node, target, fit)
        return None if fit is None else ir.Assign(path=target.path, type=target.type, value=fit)
    if isinstance(target.type, ArrayType):
        change = _structural if len(target.path) == 1 else _inside_value
        return change(frame, node, target, target.type.of)
    return _compound(frame, node, target)


def _refuse(frame: Frame, at: int, case: Case, name: str, near: str = "") -> None:
    frame.report(AssignmentTarget(at=frame.at(at), case=case, name=name, nearest=near))


def _path(node: ast.Expression) -> tuple[bool, list[tuple[str, int]]] | None:
    """Whether the chain starts at `this`, and its names with their places; None for anything else."""
    match node:
        case ast.Name(name=name, at=at):
            return False, [(name, at)]
        case ast.Member(target=ast.This(), name=name, at=at):
            return True, [(name, at)]
        case ast.Member(target=target, name=name, at=at):
            inner = _path(target)
            return None if inner is None else (inner[0], [*inner[1], (name, at)])
        case _:
            return None


def _target(frame: Frame, node: ast.Assign) -> Target | None:
    found = _path(node.target)
    if found is None:
        _refuse(frame, node.at, "unknown", "this")
        return None
    explicit, names = found
    head, at = names[0]
    own = frame.this is not None and head in frame.this.members
    if not explicit and head in frame.locals and not own:  # `title := title` sets the field from the parameter
        _refuse(frame, at, "local" if len(names) == 1 else "foreign", head)
        return None
    member = frame.this.members.get(head) if frame.this is not None else None
    if frame.this is None or member is None:
        _unknown(frame, at, head, frame.this)
        return None
    if not _is_settable(frame, at, member) or member.type is None:
        return None
    read = Field(type=member.type, receiver=This(type=frame.this.type), name=head, kind=member.kind)
    return _into(frame, Target((head,), member.type, read), names[1:])


def _unknown(frame: Frame, at: int, name: str, shape: InstanceShape | None) -> None:
    if shape is not None and shape.is_partial:
        return
    if shape is not None and name in shape.functions:
        _refuse(frame, at, "function", name)
        return
    known = [item.name for item in shape.stored()] if shape is not None else []
    _refuse(frame, at, "unknown", name, nearest(name, known))


def _is_settable(frame: Frame, at: int, member: MemberShape) -> bool:
    if member.kind is FieldKind.DERIVED:
        _refuse(frame, at, "derived", member.name)
    elif member.kind in (FieldKind.ID, FieldKind.VERSION):
        _refuse(frame, at, "identity", member.name)
    elif member.access is Access.IMMUTABLE and frame.body not in (Body.CREATE, Body.FIRST_STAMP, Body.APPLY):
        _refuse(frame, at, "immutable", member.name)
    else:
        return True
    return False


def _into(frame: Frame, target: Target, rest: list[tuple[str, int]]) -> Target | None:
    """Further names go into value objects, whose fields are replaced one by one."""
    for name, at in rest:
        shape = instance_of(frame.scope.tables, target.type) if isinstance(target.type, ValueObjectType) else None
        if shape is None:
            _refuse(frame, at, "foreign", f"{target.printed}.{name}")
            return None
        member = shape.members.get(name)
        if member is None:
            _unknown(frame, at, name, shape)
            return None
        if not _is_settable(frame, at, member) or member.type is None:
            return None
        read = Field(type=member.type, receiver=target.read, name=name, kind=member.kind)
        target = Target((*target.path, name), member.type, read)
    return target


def _structural(frame: Frame, node: ast.Assign, target: Target, element: Type) -> ir.Statement | None:
    value = frame.lower(node.value, element)
    if value is None:
        return None
    if node.operator is ast.AssignOperator.REMOVE and isinstance(element, PartType):
        return _remove_part(frame, node, target, element, value)
    fit = fitted(value, element)
    if fit is None:
        return _mismatch(frame, node, target, (show(element), element), value)
    _check_flow(frame, node, target, fit)
    kind = ir.Append if node.operator is ast.AssignOperator.ADD else ir.Remove
    return kind(field=target.path[0], element=element, value=fit)


def _inside_value(frame: Frame, node: ast.Assign, target: Target, element: Type) -> None:
    """A value object is replaced, and nothing says yet what a list is with an element more or less."""
    value = frame.lower(node.value, element)
    if value is None:
        return
    if fitted(value, element) is None:
        _mismatch(frame, node, target, (show(element), element), value)
        return
    what = f"`{node.operator.value}` on a collection inside a value object"
    frame.scope.source.unsupported(node.at, what, f"{target.printed} := …")


def _remove_part(frame: Frame, node: ast.Assign, target: Target, element: PartType, value: Expr) -> ir.Statement | None:
    """A part goes by its id; a whole part stands for its own."""
    identity = IdType(aggregate=element.aggregate, part=element.name)
    if value.type == element:
        value = Field(type=identity, receiver=value, name="id", kind=FieldKind.ID)
    if value.type != identity:
        return _mismatch(frame, node, target, (f"{show(element)} or {show(identity)}", identity), value)
    return ir.Remove(field=target.path[0], element=element, value=value)


def _compound(frame: Frame, node: ast.Assign, target: Target) -> ir.Statement | None:
    """`count += 1` is `count := count + 1`."""
    value = frame.lower(node.value, target.type)
    if value is None:
        return None
    if isinstance(target.type, OptionalType) or not (is_number(target.type) or target.type == MONEY):
        return _mismatch(frame, node, target, ("a number, or an element of a collection", None), value)
    op = Arithmetic.ADD if node.operator is ast.AssignOperator.ADD else Arithmetic.SUBTRACT
    total = combine(frame, node.at, op, Side(target.read, node.target), Side(value, node.value))
    if total is None:
        return None
    fit = assigned(frame, node.value.at, target.printed, total, target.type)
    _check_flow(frame, node, target, fit)
    return None if fit is None else ir.Assign(path=target.path, type=target.type, value=fit)


def _check_flow(frame: Frame, node: ast.Assign, target: Target, value: Expr | None) -> None:
    check_flow(frame, node.value.at, value, target.printed, tags_of(frame, target.read))


def _mismatch(
    frame: Frame, node: ast.Assign, target: Target, wanted: tuple[str, Type | None], value: Expr
) -> ir.Statement | None:
    """`wanted` is what to call it, and the type that a hint is about."""
    expected, type_ = wanted
    frame.report(
        CollectionElementType(
            at=frame.at(node.value.at),
            operator=node.operator.value,
            target=target.printed,
            expected=expected,
            found=show(value.type),
            hint=hint(type_, value.type),
        )
    )
    return None
