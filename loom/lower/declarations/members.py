"""Members that aggregates, parts and value objects have in common.

In: their declarations and the shape that holds them, whose types are resolved already. Out: IR members.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from loom.base import Value, descendants
from loom.ir import program as ir
from loom.ir.expressions import (
    Arithmetics,
    Call,
    Compare,
    Conditional,
    Convert,
    EnumLiteral,
    Expr,
    Field,
    FieldKind,
    FunctionCall,
    Lambda,
    ListLiteral,
    Local,
    Logical,
    Negate,
    Not,
    Null,
    This,
)
from loom.ir.expressions import Literal as Constant
from loom.ir.members import Parameter
from loom.ir.statements import Return, Statement
from loom.ir.types import ArrayType, OptionalType, PartType, Type
from loom.lower.bodies.conditions import author_message, condition, source_of
from loom.lower.bodies.flow import always_ends
from loom.lower.bodies.statements import block
from loom.lower.expressions.defaults import assigned, default_of, parameter_default
from loom.lower.problems.bodies import FunctionBlockNoReturn
from loom.lower.problems.tenancy import FieldMaskNotCurrentUser, FieldMaskUnreadable
from loom.lower.scope.frames import UNTOLD, Binding, Body, Frame, Origin
from loom.lower.scope.shapes import FunctionShape, InstanceShape, MemberShape, ParameterShape
from loom.parse import ast


def parameters(frame: Frame, shapes: Iterable[ParameterShape]) -> tuple[Parameter, ...]:
    """The parameters whose types are known; the others have been reported."""
    return tuple(
        Parameter(name=item.name, type=item.type, default=parameter_default(frame, item))
        for item in shapes
        if item.type is not None
    )


def with_parameters(frame: Frame, shapes: Iterable[ParameterShape]) -> Frame:
    bound = {item.name: Binding(item.type, Origin.PARAMETER) for item in shapes}
    return replace(frame, locals={**frame.locals, **bound})


def properties(frame: Frame, declared: Iterable[object], shape: InstanceShape) -> tuple[ir.Property, ...]:
    """The stored fields of `shape` that are no containments, each once."""
    written = {item.name: item for item in reversed(list(declared)) if isinstance(item, ast.Property)}
    return tuple(
        _property(frame, written[member.name], member, member.type, shape)
        for member in shape.members.values()
        if member.kind is FieldKind.PROPERTY and member.type is not None and member.name in written
    )


def _property(
    frame: Frame, declared: ast.Property, member: MemberShape, type_: Type, shape: InstanceShape
) -> ir.Property:
    return ir.Property(
        name=member.name,
        type=type_,
        access=member.access,
        default=default_of(frame, shape, member),
        check=_check(frame, declared) if declared.check is not None else None,
        sensitive=tuple(dict.fromkeys(tag.name for tag in declared.sensitive)),
        provenanced=declared.provenanced is not None,
        mask=_mask(frame, declared) if declared.mask is not None else None,
    )


def _mask(frame: Frame, declared: ast.Property) -> Expr | None:
    """What its readers must meet; decided from who asks alone, whatever the row."""
    assert declared.mask is not None
    if declared.access in (ast.Access.INTERNAL, ast.Access.SECRET):
        access: Literal["internal", "secret"] = "internal" if declared.access is ast.Access.INTERNAL else "secret"
        frame.report(FieldMaskUnreadable(at=frame.at(declared.mask.at), name=declared.name, access=access))
    value = condition(frame.within(Body.MASK), declared.mask, "`mask unless`")
    for node in descendants(value) if value is not None else ():
        if isinstance(node, Field | Local | This | FunctionCall):
            what = "the row" if isinstance(node, This) else f"`{node.name}`"
            return frame.fail(FieldMaskNotCurrentUser(at=frame.at(declared.mask.at), name=declared.name, what=what))
    return value


def _check(frame: Frame, declared: ast.Property) -> ir.Check | None:
    if declared.check is None:
        return None
    message = author_message(frame, declared.at, declared.check_message)
    value = condition(frame, declared.check, "`check`")
    if value is None:
        return None
    return ir.Check(
        condition=value,
        message=message,
        source=source_of(declared.check),
        projected=_is_projected(value, declared.name),
    )


_PLAIN = (
    Arithmetics,
    Call,
    Compare,
    Conditional,
    Convert,
    EnumLiteral,
    Lambda,
    ListLiteral,
    Constant,
    Local,
    Logical,
    Negate,
    Not,
    Null,
    This,
)


def _is_projected(value: Value, name: str) -> bool:
    """Whether a request decides it alone: it reads this field, constants, and nothing else."""
    return all(_is_plain(node, name) for node in descendants(value))


def _is_plain(node: Value, name: str) -> bool:
    if isinstance(node, Field) and isinstance(node.receiver, This):
        return node.name == name and node.kind is FieldKind.PROPERTY
    if isinstance(node, Field):
        return node.kind is FieldKind.PROPERTY
    return isinstance(node, _PLAIN) or type(node).__module__ == "loom.ir.types"


def containments(shape: InstanceShape) -> tuple[ir.Containment, ...]:
    found = []
    for member in shape.members.values():
        if member.kind is FieldKind.CONTAINMENT and member.type is not None:
            inner = member.type.of if isinstance(member.type, OptionalType | ArrayType) else member.type
            if isinstance(inner, PartType):
                found.append(
                    ir.Containment(
                        name=member.name,
                        part=inner.name,
                        many=isinstance(member.type, ArrayType),
                        optional=isinstance(member.type, OptionalType),
                    )
                )
    return tuple(found)


def derived(frame: Frame, declared: Iterable[object], shape: InstanceShape) -> tuple[ir.Derived, ...]:
    found = []
    for item in declared:
        if not isinstance(item, ast.Derived):
            continue
        type_ = shape.members[item.name].type if item.name in shape.members else None
        value = frame.lower(item.value, type_ or UNTOLD)
        if value is None or type_ is None:
            continue
        fit = assigned(frame, item.value.at, item.name, value, type_)
        if fit is not None:
            found.append(ir.Derived(name=item.name, type=type_, value=fit))
    return tuple(found)


def invariants(frame: Frame, declared: Iterable[object]) -> tuple[ir.Invariant, ...]:
    found = (_invariant(frame, item) for item in declared if isinstance(item, ast.Invariant))
    return tuple(item for item in found if item is not None)


def _invariant(frame: Frame, declared: ast.Invariant) -> ir.Invariant | None:
    message = author_message(frame, declared.at, declared.message)
    holds = condition(frame, declared.condition, "`invariant`")
    when: Expr | None = None
    if declared.when is not None:
        when = condition(frame, declared.when, "`when`")
        if when is None:
            return None
    if holds is None:
        return None
    return ir.Invariant(
        condition=holds,
        when=when,
        message=message,
        source=source_of(declared.condition),
        private=declared.is_private,
    )


def functions(frame: Frame, declared: Iterable[object], shapes: dict[str, FunctionShape]) -> tuple[ir.Function, ...]:
    """`frame` is that of the instance, or of the workflow; parameters come on top."""
    found = []
    seen: set[str] = set()
    for item in declared:
        if isinstance(item, ast.Function) and item.name in shapes and item.name not in seen:
            seen.add(item.name)
            made = function(frame, item, shapes[item.name])
            if made is not None:
                found.append(made)
    return tuple(found)


def function(frame: Frame, declared: ast.Function, shape: FunctionShape) -> ir.Function | None:
    given = parameters(frame, shape.parameters)
    inner = replace(with_parameters(frame, shape.parameters), owner=declared.name, returns=shape.returns)
    body = _function_body(inner, declared)
    if shape.returns is None:
        return None
    return ir.Function(name=declared.name, parameters=given, returns=shape.returns, body=body)


def _function_body(frame: Frame, declared: ast.Function) -> tuple[Statement, ...]:
    if isinstance(declared.body, tuple):
        if not always_ends(declared.body):
            frame.report(FunctionBlockNoReturn(at=frame.at(declared.at), name=declared.name))
        return block(frame, declared.body)
    value = frame.lower(declared.body, frame.returns or UNTOLD)
    if value is None or frame.returns is None:
        return ()
    fit = assigned(frame, declared.body.at, declared.name, value, frame.returns)
    return (Return(value=fit),) if fit is not None else ()


def instance_frame(frame: Frame, shape: InstanceShape, body: Body = Body.PURE) -> Frame:
    return replace(frame, this=shape, body=body, owner=shape.name)
