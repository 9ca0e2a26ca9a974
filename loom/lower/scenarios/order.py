"""Calls of `api` within expressions, made before what they stand in.

In: the statements of an end-to-end test as written. Out: statements in which a call is all of what is bound, sent or
refused. An answer that is used where it is asked for gets a name that no author can write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.lower.mentions import below, mapped
from loom.lower.scenarios.requests import is_request, printed
from loom.parse import ast


def in_order(body: Iterable[ast.Statement]) -> Iterator[ast.Statement]:
    taken: set[str] = set()
    for statement in body:
        yield from _asked_first(statement, taken)


def _asked_first(statement: ast.Statement, taken: set[str]) -> Iterator[ast.Statement]:
    own = _own(statement)
    if not any(is_request(item) and item.at != own for item in below(statement)):
        yield statement
        return
    first: list[ast.Statement] = []

    def asked(node: object) -> object:
        if not is_request(node) or node.at == own:
            return node
        name = _name(node, taken)
        first.append(ast.Let(at=node.at, name=name, value=node))
        return ast.Name(at=node.at, name=name)

    changed = mapped(statement, asked)
    yield from first
    yield changed


def _own(statement: ast.Statement) -> int:
    """Where the call stands that the statement itself makes; -1 if it makes none."""
    match statement:
        case ast.Let(value=ast.Call(at=at)) | ast.Evaluate(value=ast.Call(at=at)):
            return at
        case ast.Expect(actual=ast.Call(at=at), matcher="toThrow"):
            return at
        case _:
            return -1


def _name(node: ast.Call, taken: set[str]) -> str:
    name = f"{printed(node.callee)}(…)"
    while name in taken:
        name += "'"
    taken.add(name)
    return name
