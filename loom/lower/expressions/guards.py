"""What a condition says about optionals: `x != null ? … : …` makes `x` certain where the condition holds.

In: a frame and a condition as written. Out: the frame in which the guarded paths are not optional; for all other
comparisons with null, which make nothing certain, what to write in their place.
Never: a diagnostic; the condition itself is lowered elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from loom.ir.types import OptionalType, Type
from loom.lower.scope.frames import ENTRIES, Body, Check, Frame
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
        case ast.Name(name="currentUser") if frame.scope.principal.claims is not None:
            return "currentUser"
        case ast.Member(target=target, name=name):
            inner = path_of(frame, target)
            return f"{inner}.{name}" if inner else ""
        case _:
            return ""


def printed_path(frame: Frame, node: ast.Expression) -> str:
    """The same as an author writes it: a field without `this.`, unless a local has its name."""
    path = path_of(frame, node)
    bare = path.removeprefix("this.")
    return path if bare.partition(".")[0] in frame.locals else bare


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


def checked_by(frame: Frame, condition: ast.Expression, how: Check, *, holds: bool) -> Frame:
    """`frame` where `condition` is known to hold, or not to: what is not null there, and optional all the same."""
    paths = [path_of(frame, node) for node in _not_null(condition, holds)]
    found = {path: how for path in paths if path and path not in frame.narrowed}
    return replace(frame, checked={**frame.checked, **found}) if found else frame


def _not_null(condition: ast.Expression, holds: bool) -> Iterator[ast.Expression]:
    """What cannot be null when `condition` holds, or when it does not."""
    match condition:
        case ast.Binary(operator=ast.BinaryOperator.AND | ast.BinaryOperator.OR as operator, operands=operands):
            if (operator is ast.BinaryOperator.AND) is holds:
                for operand in operands:
                    yield from _not_null(operand, holds)
        case ast.Binary(operator=ast.BinaryOperator.NOT_EQUAL | ast.BinaryOperator.EQUAL as operator, operands=sides):
            if (operator is ast.BinaryOperator.NOT_EQUAL) is holds and any(_is_null(side) for side in sides):
                yield from (side for side in sides if not _is_null(side))
        case ast.Unary(operator=ast.UnaryOperator.NOT, operand=operand):
            yield from _not_null(operand, not holds)


def _is_null(node: ast.Expression) -> bool:
    return isinstance(node, ast.NullLiteral)


_WITH_IF_LET = (Body.OPERATION, *ENTRIES)
_WITH_LET = (*_WITH_IF_LET, Body.CREATE, Body.DESTROY, Body.FUNCTION, Body.WORKFLOW_FUNCTION, Body.TEST)


_WHY: Mapping[Check, str] = {
    Check.AND: "`&&` makes nothing certain",
    Check.OR: "`||` makes nothing certain",
    Check.ELSE: "only what stands before `:` is certain",
    Check.IF: "a plain `if` makes nothing certain",
    Check.BEFORE: "a check before it makes nothing certain",
}
_ELSE: Mapping[Check, str] = {Check.AND: "false", Check.OR: "true"}


def advice(frame: Frame, node: ast.Expression) -> str:
    """What to write so that the optional `node` may be used here."""
    path = path_of(frame, node)
    if frame.body is Body.FIND:
        kept = "make the parameter required" if path in frame.locals else "keep it in a required field"
        return f"{kept}: a find asks only `==` and `!=` of what may be null"
    if not path:
        bound = "bind it with `let`" if frame.body in _WITH_LET else "bind it with `let` in a function"
        return f"{bound}, then guard that name: `… != null ? … : …`"
    name, how = printed_path(frame, node), frame.checked.get(path)
    guard = f"`{name} != null ? … : {_ELSE.get(how, '…') if how else '…'}`"
    binding = "" if how in (Check.AND, Check.OR, Check.ELSE) else _binding(frame, node, name)
    written = f"{guard} or {binding}" if binding else guard
    return f"{_WHY[how]}: write {written}" if how else f"guard it: write {written}"


def _binding(frame: Frame, node: ast.Expression, name: str) -> str:
    """The `if let` of the body, if it has one; that of a workflow takes a bare name."""
    is_bare = isinstance(node, ast.Name) or frame.body is Body.OPERATION
    return f"`if let … = {name} {{ … }}`" if frame.body in _WITH_IF_LET and is_bare else ""


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
        case ast.Member(target=target, name=name) if path_of(frame, target) == "currentUser":
            return (frame.scope.principal.claims or {}).get(name)
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
