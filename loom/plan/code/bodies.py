"""Statements of the program as steps with final texts; nothing is saved in them.

In: IR statements of operations, creates, functions and tests. Out: Plan steps.
Never: saves (`saves.py` places those of workflows), or how a target spells a step.
"""

from __future__ import annotations

from typing import assert_never

from loom.ir import statements as ir
from loom.ir.expressions import Compare, Comparison, domain_of
from loom.ir.statements import Matcher
from loom.ir.types import BOOL
from loom.plan.steps import (
    Authorize,
    DeleteStep,
    ExpectCompared,
    ExpectRefused,
    ForEachStep,
    Guard,
    IfPresentStep,
    IfStep,
    Step,
)
from loom.plan.unplanned import unplanned
from loom.plan.wire import texts

_OPERATORS = {
    Matcher.TO_BE: Comparison.EQ,
    Matcher.TO_BE_SAME_INSTANT: Comparison.EQ,
    Matcher.TO_BE_GREATER_THAN: Comparison.GT,
    Matcher.TO_BE_GREATER_THAN_OR_EQUAL: Comparison.GE,
    Matcher.TO_BE_LESS_THAN: Comparison.LT,
    Matcher.TO_BE_LESS_THAN_OR_EQUAL: Comparison.LE,
}
Blocks = ir.ForEach | ir.If | ir.IfLet


def steps(body: tuple[ir.Statement, ...]) -> tuple[Step, ...]:
    """The steps of an operation, a create, a function or a test."""
    return tuple([step(statement) for statement in body])


def step(statement: ir.Statement) -> Step:
    match statement:
        case ir.ForEach() | ir.If() | ir.IfLet():
            return _block(statement)
        case ir.Precondition(condition=condition, message=message, source=source):
            return Guard(condition=condition, detail=texts.precondition(message, source))
        case ir.Requires(condition=condition, source=source):
            return Authorize(condition=condition, detail=texts.forbidden(source))
        case ir.Delete(name=name, aggregate=aggregate):
            return DeleteStep(name=name, aggregate=aggregate)
        case ir.ExpectThrow(attempt=attempt):
            return ExpectRefused(attempt=step(attempt))
        case ir.Expect():
            return _expected(statement)
        case ir.MatchVariants() | ir.InvokeService() | ir.AfterCommit() | ir.UseResource() | ir.Enqueue():
            unplanned(statement)
        case _:
            return statement


def _expected(statement: ir.Expect) -> ExpectCompared:
    actual, expected = statement.actual, statement.expected
    op, domain = _OPERATORS[statement.matcher], domain_of(actual.type)
    comparison = Compare(type=BOOL, op=op, domain=domain, left=actual, right=expected)
    return ExpectCompared(comparison=comparison, negated=statement.negated)


def _block(statement: Blocks) -> Step:
    match statement:
        case ir.ForEach(name=name, source=source, read=read, body=body):
            return ForEachStep(name=name, source=source, read=read, body=steps(body))
        case ir.If(condition=condition, then=then, otherwise=otherwise):
            return IfStep(condition=condition, then=steps(then), otherwise=steps(otherwise))
        case ir.IfLet(name=name, source=source, read=read, then=then, otherwise=otherwise):
            return IfPresentStep(name=name, source=source, read=read, then=steps(then), otherwise=steps(otherwise))
    assert_never(statement)
