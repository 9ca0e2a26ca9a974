"""When the rules of an entity, and of all that it contains, are checked.

In: an aggregate of the program, planned bodies. Out: what has rules; bodies with `CheckRules` in its place.
Never: a check of what has no rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count

from loom.base import descendants
from loom.ir.expressions import Lambda, Local
from loom.ir.members import Parameter
from loom.ir.program import Aggregate, Part
from loom.ir.statements import Invoke, Let, Return
from loom.ir.types import NOTHING, Type
from loom.plan.code.refusable import can_be_refused
from loom.plan.steps import CheckRules, ForEachStep, IfPresentStep, IfStep, Step

RESULT = "answer"


def checked_parts(aggregate: Aggregate) -> frozenset[str]:
    """The parts that have rules, or hold one that has."""
    return frozenset(part.name for part in aggregate.parts if _is_checked(part, aggregate))


def is_checked(aggregate: Aggregate) -> bool:
    return _is_checked(aggregate, aggregate)


def _is_checked(owner: Aggregate | Part, aggregate: Aggregate) -> bool:
    if owner.invariants or any(item.check for item in owner.properties):
        return True
    held = {item.part for item in owner.containments}
    return any(_is_checked(part, aggregate) for part in aggregate.parts if part.name in held)


def checked(body: tuple[Step, ...], parameters: Iterable[Parameter], returns: Type) -> tuple[Step, ...]:
    """`body` with a check wherever it ends. What it answers is found first, should that be refused."""
    if returns == NOTHING:
        return (*body, CheckRules())
    return _before_returns(body, _free(body, parameters))


def _before_returns(body: tuple[Step, ...], result: str) -> tuple[Step, ...]:
    return tuple(found for step in body for found in _step(step, result))


def _step(step: Step, result: str) -> tuple[Step, ...]:
    match step:
        case Return(value=value) if can_be_refused(value):
            answer = Return(value=Local(type=value.type, name=result))
            return (Let(name=result, value=value), CheckRules(), answer)
        case Return():
            return (CheckRules(), step)
        case ForEachStep(body=body):
            return (step.model_copy(update={"body": _before_returns(body, result)}),)
        case IfStep(then=then, otherwise=otherwise) | IfPresentStep(then=then, otherwise=otherwise):
            ways = {"then": _before_returns(then, result), "otherwise": _before_returns(otherwise, result)}
            return (step.model_copy(update=ways),)
        case _:
            return (step,)


def _free(body: tuple[Step, ...], parameters: Iterable[Parameter]) -> str:
    """A name that nothing in the body has."""
    taken = {item.name for item in parameters}
    for node in descendants(*body):
        match node:
            case Let(name=name) | ForEachStep(name=name) | IfPresentStep(name=name) | Lambda(parameter=name):
                taken.add(name)
            case Invoke(bind=name):
                taken.add(name)
    names = chain([RESULT], (f"{RESULT}{number}" for number in count(2)))
    return next(name for name in names if name not in taken)
