"""Statements of the program as steps with final texts; nothing is saved in them.

In: IR statements of operations, creates, functions and tests. Out: Plan steps.
Never: saves (`saves.py` places those of workflows), or how a target spells a step.
"""

from __future__ import annotations

from typing import assert_never

from loom.ir import statements as ir
from loom.plan.steps import (
    Authorize,
    DeleteStep,
    ExpectRefused,
    ForEachStep,
    Guard,
    IfPresentStep,
    IfStep,
    Step,
)
from loom.plan.wire import texts

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
        case ir.Let() | ir.Assign() | ir.Append() | ir.Remove() | ir.Emit() | ir.Invoke() | ir.Return():
            return statement
        case ir.Load() | ir.CreateInstance() | ir.NotFound() | ir.Expect():
            return statement
    assert_never(statement)


def _block(statement: Blocks) -> Step:
    match statement:
        case ir.ForEach(name=name, source=source, read=read, body=body):
            return ForEachStep(name=name, source=source, read=read, body=steps(body))
        case ir.If(condition=condition, then=then, otherwise=otherwise):
            return IfStep(condition=condition, then=steps(then), otherwise=steps(otherwise))
        case ir.IfLet(name=name, source=source, read=read, then=then, otherwise=otherwise):
            return IfPresentStep(name=name, source=source, read=read, then=steps(then), otherwise=steps(otherwise))
    assert_never(statement)
