"""Definite assignment: a create sets every required field before it is read and before it ends.

In: a lowered create and the shape that it fills. Out: the fields that some path leaves unset, or reads early.
Never: an opinion on values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from loom.ir import statements as ir
from loom.ir.expressions import Expr, Field, FieldKind, FunctionCall, This
from loom.ir.types import BOOL, ArrayType, OptionalType, code_in
from loom.lower.scope.shapes import InstanceShape


def required(shape: InstanceShape) -> list[str]:
    """The stored fields that nothing but a create can give a value."""
    return [
        member.name
        for member in shape.stored()
        if not member.has_default
        and member.type is not None
        and member.type != BOOL
        and not isinstance(member.type, OptionalType | ArrayType)
    ]


def unset(shape: InstanceShape, body: Iterable[ir.Statement], later: Collection[str] = ()) -> list[str]:
    """The required fields that some path through `body` leaves unset, in declaration order.

    Those in `later` are set by whoever saves.
    """
    done = _assigned(body).union(later)
    return [name for name in required(shape) if name not in done]


def _assigned(body: Iterable[ir.Statement]) -> set[str]:
    done: set[str] = set()
    for statement in body:
        match statement:
            case ir.Assign(path=(name,)):
                done.add(name)
            case ir.If(then=then, otherwise=otherwise):
                done |= _assigned(then) & _assigned(otherwise)
    return done


def read_early(shape: InstanceShape, body: Iterable[ir.Statement]) -> list[str]:
    """What `body` reads before it is set; a derived value or function reads every required field."""
    found: list[str] = []
    _scan(set(required(shape)), body, found)
    return found


def _scan(missing: set[str], body: Iterable[ir.Statement], found: list[str]) -> set[str]:
    """Collects early reads into `found`; gives what is still missing after `body`."""
    for statement in body:
        for expression in _expressions(statement):
            found.extend(_reads(expression, missing))
        match statement:
            case ir.Assign(path=(name,)):
                missing = missing - {name}
            case ir.If(then=then, otherwise=otherwise):
                missing = _scan(missing, then, found) | _scan(missing, otherwise, found)
            case ir.ForEach(body=inner):
                _scan(missing, inner, found)
    return missing


def _expressions(statement: ir.Statement) -> Iterator[Expr]:
    match statement:
        case ir.Let(value=value) | ir.Assign(value=value) | ir.Append(value=value) | ir.Remove(value=value):
            yield value
        case ir.Precondition(condition=value) | ir.Requires(condition=value) | ir.If(condition=value):
            yield value
        case ir.Emit(fields=fields):
            yield from (item.value for item in fields)
        case ir.ForEach(source=source) if source is not None:
            yield source


def _reads(expression: Expr, missing: set[str]) -> Iterator[str]:
    if not missing:
        return
    for node in code_in(expression):
        match node:
            case Field(receiver=This(), name=name, kind=FieldKind.PROPERTY | FieldKind.CONTAINMENT):
                if name in missing:
                    yield name
            case Field(receiver=This(), name=name, kind=FieldKind.DERIVED):
                yield name
            case FunctionCall(receiver=This(), name=name):
                yield name
