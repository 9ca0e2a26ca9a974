"""How control leaves a body: does every path end in a `return`?

In: statements as written. Out: answers.
"""

from __future__ import annotations

from loom.parse import ast


def always_ends(body: tuple[ast.Statement, ...]) -> bool:
    """Whether every path through `body` ends in a `return` or `notFound`."""
    return any(map(ends, body))


def ends(statement: ast.Statement) -> bool:
    """Whether nothing after `statement` is reached."""
    match statement:
        case ast.Return() | ast.NotFound():
            return True
        case ast.If(body=then, otherwise=otherwise) | ast.IfLet(body=then, otherwise=otherwise):
            return always_ends(then) and always_ends(otherwise)
        case _:
            return False
