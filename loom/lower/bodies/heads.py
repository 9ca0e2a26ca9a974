"""Calls that a test's expectation or binding begins with, made before it.

In: `expect order.add(2).size.toBe(3)` as written. Out: `let add1 = order.add(2)`, and the rest about `add1`.
Never: a call further inside, which would run where nobody reads it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loom.ir.types import AggregateType
from loom.lower.bodies.factories import factory_target
from loom.lower.mentions import below
from loom.lower.scope.frames import Frame
from loom.parse import ast


def names_in(body: tuple[ast.Statement, ...]) -> set[str]:
    """Every name that is bound or read in a test; what is made ahead of a statement gets another."""
    found = below(body)
    return {item.name for item in found if isinstance(item, ast.Name | ast.Let)}


def head_of(frame: Frame, node: ast.Statement) -> ast.Call | None:
    """The operation or factory that is called first, unless that is all of what is bound or refused."""
    match node:
        case ast.Expect(actual=written) if node.matcher != "toThrow":
            head = _first(written)
        case ast.Let(value=ast.Member(target=written) | ast.Call(callee=ast.Member(target=written))):
            head = _first(written)
        case _:
            return None
    return head if head is not None and (_is_operation(frame, head) or factory_target(frame, head)) else None


def bound_first(node: ast.Statement, head: ast.Call, taken: set[str]) -> Iterator[ast.Statement]:
    assert isinstance(head.callee, ast.Member)
    name = next(name for number in range(1, len(taken) + 2) if (name := f"{head.callee.name}{number}") not in taken)
    taken.add(name)
    yield ast.Let(at=head.at, name=name, value=head)
    local = ast.Name(at=head.at, name=name)
    if isinstance(node, ast.Expect):
        yield replace(node, actual=_begun(node.actual, head, local))
    elif isinstance(node, ast.Let):
        yield replace(node, value=_begun(node.value, head, local))


def _first(node: ast.Expression) -> ast.Call | None:
    """The innermost call of a chain of members and calls."""
    found: ast.Call | None = None
    while True:
        match node:
            case ast.Call(callee=ast.Member(target=inner)):
                found, node = node, inner
            case ast.Member(target=inner):
                node = inner
            case _:
                return found


def _begun(node: ast.Expression, head: ast.Call, local: ast.Name) -> ast.Expression:
    """`node` with `local` for its head."""
    match node:
        case _ if node is head:
            return local
        case ast.Member(target=inner):
            return replace(node, target=_begun(inner, head, local))
        case ast.Call(callee=ast.Member(target=inner) as callee):
            return replace(node, callee=replace(callee, target=_begun(inner, head, local)))
        case _:
            return node


def _is_operation(frame: Frame, node: ast.Call) -> bool:
    match node.callee:
        case ast.Member(target=ast.Name(name=receiver), name=method) if receiver in frame.locals:
            type_ = frame.locals[receiver].type
        case _:
            return False
    shape = frame.scope.tables.aggregates.get(type_.ref.name) if isinstance(type_, AggregateType) else None
    return shape is not None and method in shape.operations
