"""Conditions that guard something: gates, preconditions, invariants, checks.

In: a condition as written. Out: the typed condition, and its canonical print for messages.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Protocol

from loom.base import Diagnostic, NodePath, descendants
from loom.ir.expressions import Expr, Field, Local
from loom.ir.members import Gate
from loom.ir.types import BOOL
from loom.lower.expressions.plain import doubt_holes
from loom.lower.problems.names import BlankMessage
from loom.lower.problems.types import ConditionNotBool
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.relations import show
from loom.parse import ast
from loom.parse.printer import show as print_expression


def condition(frame: Frame, written: ast.Expression, what: str) -> Expr | None:
    """`written` as a bool; `what` names the guard for a report."""
    value = frame.lower(written, BOOL)
    if value is None or value.type == BOOL:
        return value
    return frame.fail(ConditionNotBool(at=frame.at(written.at), what=what, found=show(value.type)))


def gate(frame: Frame, written: ast.Expression, what: str) -> Gate | None:
    value = condition(frame, written, what)
    return None if value is None else Gate(condition=value, source=source_of(written))


class Refusal(Protocol):
    """The problem that the gate of `name` reads `what`."""

    def __call__(self, *, at: NodePath, name: str, what: str) -> Diagnostic: ...


def caller_gate(frame: Frame, written: ast.Expression | None, name: str, refusal: Refusal) -> tuple[Gate, ...]:
    """The gate in the head of `name`, decided before anything is read: it knows the caller and constants alone."""
    made = gate(frame.within(Body.GATE), written, "`requires`") if written is not None else None
    if made is None or written is None:
        return ()
    for node in descendants(made.condition):
        if isinstance(node, Local | Field):
            frame.report(refusal(at=frame.at(written.at), name=name, what=node.name))
            return ()
    return (made,)


def gates(
    frame: Frame, header: ast.Expression | None, body: tuple[ast.Statement, ...]
) -> tuple[tuple[Gate, ...], tuple[ast.Statement, ...]]:
    """The gate of the header and the run of them that a body begins with, in order; and the rest of the body."""
    leading = list(takewhile(lambda item: isinstance(item, ast.Requires), body))
    written = [] if header is None else [header]
    written += [item.condition for item in leading if isinstance(item, ast.Requires)]
    made = [gate(frame, item, "a gate") for item in written]
    return tuple(item for item in made if item is not None), body[len(leading) :]


def source_of(written: ast.Expression) -> str:
    return print_expression(written)


def author_message(frame: Frame, at: int, message: str | None) -> str:
    """The author's words, or nothing; an empty message is a mistake."""
    if message is not None and not message.strip():
        frame.report(BlankMessage(at=frame.at(at)))
    doubt_holes(frame, at, message or "", "message")
    return message or ""
