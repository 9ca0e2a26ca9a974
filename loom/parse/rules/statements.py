"""The rules of statements.

In: tokens and what stands inside. Out: statements, blocks as tuples.
Never: a rule about which statement is legal where; that is for `lower` and `validate`.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.parse.ast import (
    AfterCommit,
    Assign,
    AssignOperator,
    Call,
    Emit,
    Enqueue,
    Evaluate,
    Expect,
    Expression,
    FieldValue,
    For,
    If,
    IfLet,
    Let,
    Match,
    MatchBlocks,
    Member,
    Name,
    NotFound,
    NullLiteral,
    Precondition,
    Requires,
    Return,
    Statement,
    This,
    Unsupported,
    VariantMatch,
)
from loom.parse.draft import BlockMatch, Draft


def precondition(d: Draft, token: int, condition: Expression, message: int = -1) -> Precondition:
    return Precondition(d.numbers[token], condition, d.texts[message] if message >= 0 else None)


def requires(d: Draft, token: int, condition: Expression) -> Requires:
    return Requires(d.numbers[token], condition)


def let(d: Draft, token: int, value: Expression) -> Let:
    return Let(d.numbers[token], d.texts[token], value)


def assign(d: Draft, target: Expression, token: int, value: Expression) -> Assign:
    root = target
    while isinstance(root, Member):
        root = root.target
    if not isinstance(root, Name | This) or isinstance(target, This):
        d.reject(target.at, "an assignment to something other than a field", "assign to a name, or a path of names")
    return Assign(d.numbers[token], target, AssignOperator(d.texts[token]), value)


def evaluate(d: Draft, value: Call | Match | VariantMatch | BlockMatch | Unsupported) -> Statement:
    if isinstance(value, BlockMatch):
        if len(value.statements) == 1 and isinstance(value.statements[0], If | MatchBlocks):
            return value.statements[0]
        d.reject(value.at, "a `match` without a condition", "write its statements")
        return Evaluate(value.at, NullLiteral(value.at))
    return value if isinstance(value, Unsupported) else Evaluate(value.at, value)


def emit(d: Draft, token: int, fields: Iterable[FieldValue]) -> Emit:
    return Emit(d.numbers[token], d.texts[token], tuple(fields))


def for_(d: Draft, token: int, source: Expression, body: list[Statement]) -> For:
    return For(d.numbers[token], d.texts[token], source, tuple(body))


def if_let(d: Draft, token: int, source: Expression, body: list[Statement], otherwise: list[Statement]) -> IfLet:
    return IfLet(d.numbers[token], d.texts[token], source, tuple(body), tuple(otherwise))


def if_(d: Draft, token: int, condition: Expression, body: list[Statement], otherwise: list[Statement]) -> If:
    return If(d.numbers[token], condition, tuple(body), tuple(otherwise))


def else_block(d: Draft, token: int, body: list[Statement]) -> list[Statement]:
    return body


def else_if(d: Draft, token: int, inner: If) -> list[Statement]:
    return [inner]


def return_(d: Draft, token: int, value: Expression) -> Return:
    return Return(d.numbers[token], value)


def not_found(d: Draft, token: int, message: int = -1) -> NotFound:
    return NotFound(d.numbers[token], d.texts[message] if message >= 0 else None)


def after_commit(d: Draft, token: int, body: list[Statement]) -> AfterCommit:
    return AfterCommit(d.numbers[token], tuple(body))


def enqueue(d: Draft, token: int, call: Call) -> Enqueue:
    return Enqueue(d.numbers[token], False, call)


def enqueue_workflow(d: Draft, token: int, call: Call) -> Enqueue:
    return Enqueue(d.numbers[token], True, call)


def expect(d: Draft, token: int, value: Expression) -> Expect:
    """Takes `actual.not.matcher(arguments)` apart."""
    at = d.numbers[token]
    if not (isinstance(value, Call) and isinstance(value.callee, Member)):
        return Expect(at, value, False, "", ())
    actual, matcher = value.callee.target, value.callee.name
    is_negated = isinstance(actual, Member) and actual.name == "not"
    if is_negated and isinstance(actual, Member):
        actual = actual.target
    return Expect(at, actual, is_negated, matcher, tuple(item.value for item in value.arguments))
