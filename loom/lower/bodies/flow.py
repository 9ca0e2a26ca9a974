"""How control leaves a body: does every path end in a `return`, and can each statement be reached?

In: statements as written. Out: answers, and reports of statements that never run.
"""

from __future__ import annotations

from loom.lower.problems.bodies import UnreachableStatement
from loom.lower.scope.frames import Frame
from loom.parse import ast


def always_ends(body: tuple[ast.Statement, ...]) -> bool:
    """Whether every path through `body` ends in a `return` or `notFound`."""
    return any(map(_ends, body))


def _ends(statement: ast.Statement) -> bool:
    match statement:
        case ast.Return() | ast.NotFound():
            return True
        case ast.If(body=then, otherwise=otherwise) | ast.IfLet(body=then, otherwise=otherwise):
            return always_ends(then) and always_ends(otherwise)
        case _:
            return False


def reachable(frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
    """The statements up to the first that ends the body; what follows is reported."""
    for index, statement in enumerate(body[:-1]):
        if _ends(statement):
            frame.report(UnreachableStatement(at=frame.at(body[index + 1].at)))
            return body[: index + 1]
    return body
