"""How control leaves a body: does every path end in a `return`?

In: statements as written. Out: answers.
"""

from __future__ import annotations

from collections.abc import Collection

from loom.parse import ast


def always_ends(body: tuple[ast.Statement, ...], total: Collection[int] = ()) -> bool:
    """Whether every path through `body` ends in a `return` or `notFound`.

    `total` are the identities of the matches that are known to leave no variant out.
    """
    return any(ends(item, total) for item in body)


def ends(statement: ast.Statement, total: Collection[int] = ()) -> bool:
    """Whether nothing after `statement` is reached."""
    match statement:
        case ast.Return() | ast.NotFound():
            return True
        case ast.If(body=then, otherwise=otherwise) | ast.IfLet(body=then, otherwise=otherwise):
            return always_ends(then, total) and always_ends(otherwise, total)
        case ast.MatchBlocks(cases=cases, otherwise=rest):
            blocks = [*[item.body for item in cases], *([rest] if rest is not None else [])]
            return id(statement) in total and all(always_ends(block, total) for block in blocks)
        case _:
            return False
