"""Noting what a workflow has to store, where only a run can tell.

In: the body of a workflow with its saves in place. Out: the same body, with a `Track` wherever that changes.
Never: a note of what is stored in any case.
"""

from __future__ import annotations

from loom.ir.statements import CreateInstance, Invoke, Load
from loom.plan.code.walk import every_step
from loom.plan.steps import DeleteStep, ForEachStep, IfPresentStep, IfStep, Save, Step, Track, Tracked

Body = tuple[Step, ...]


def tracked(body: Body) -> Body:
    names = frozenset(step.name for step in every_step(body) if isinstance(step, Save) and step.conditional)
    return _block(body, names) if names else body


def _block(body: Body, names: frozenset[str]) -> Body:
    return tuple(found for step in body for found in (_nested(step, names), *_note(step, names)))


def _nested(step: Step, names: frozenset[str]) -> Step:
    match step:
        case ForEachStep(name=name, body=body):
            return step.model_copy(update={"body": (*_noted(name, Tracked.BOUND, names), *_block(body, names))})
        case IfPresentStep(name=name, then=then, otherwise=otherwise):
            then = (*_noted(name, Tracked.BOUND, names), *_block(then, names))
            return step.model_copy(update={"then": then, "otherwise": _block(otherwise, names)})
        case IfStep(then=then, otherwise=otherwise):
            return step.model_copy(update={"then": _block(then, names), "otherwise": _block(otherwise, names)})
        case _:
            return step


def _note(step: Step, names: frozenset[str]) -> Body:
    match step:
        case Load(name=name):
            return _noted(name, Tracked.BOUND, names)
        case CreateInstance(name=name) | Invoke(receiver=name, mutates=True):
            return _noted(name, Tracked.CHANGED, names)
        case DeleteStep(name=name):
            return _noted(name, Tracked.DELETED, names)
        case _:
            return ()


def _noted(name: str, state: Tracked, names: frozenset[str]) -> Body:
    return (Track(name=name, state=state),) if name in names else ()
