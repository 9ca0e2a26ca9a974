"""Going through a body without looking into its expressions.

In: statements. Out: each of them and those in their blocks, in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.ir.statements import AfterCommit, ExpectThrow, ForEach, If, IfLet, MatchVariants, Statement


def every_statement(*bodies: Iterable[Statement]) -> list[Statement]:
    """The statements of `bodies`, those that hold others before them."""
    found: list[Statement] = []
    for body in bodies:
        for statement in body:
            found.append(statement)
            match statement:
                case If(then=then, otherwise=otherwise) | IfLet(then=then, otherwise=otherwise):
                    found += every_statement(then, otherwise)
                case ForEach(body=inner) | AfterCommit(body=inner):
                    found += every_statement(inner)
                case MatchVariants(cases=cases, otherwise=otherwise):
                    found += every_statement(*(item.body for item in cases), otherwise)
                case ExpectThrow(attempt=attempt):
                    found += every_statement((attempt,))
    return found
