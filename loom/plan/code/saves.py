"""Where a workflow saves: every aggregate once, in order of declaration, at the end of what bound it.

In: the body of a workflow create. Out: its steps with Save in place.
Never: a save of what nothing changed, or of what was deleted.

A fresh aggregate is always saved, a loaded one when a mutating operation was invoked on it. What a branch or
an iteration binds is saved at its end; whatever is pending is saved before a Return, which then reports on
the stored state.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from loom.base import descendants
from loom.ir import statements as ir
from loom.ir.expressions import Expr
from loom.ir.types import AggregateType, ArrayType, OptionalType, Ref
from loom.plan.code.bodies import step
from loom.plan.code.tracking import tracked
from loom.plan.steps import ForEachStep, IfPresentStep, IfStep, Save, Step


class Sure(IntEnum):
    NO = 0
    MAYBE = 1
    YES = 2


class Held(msgspec.Struct, frozen=True):
    """An aggregate that a name stands for. An optional one can be saved only where it is known to be there."""

    aggregate: Ref
    fresh: bool
    optional: bool = False
    changed: Sure = Sure.NO
    deleted: Sure = Sure.NO


Scope = Mapping[str, Held]


class Block(NamedTuple):
    """Steps, what is held after them, and whether they end the body (a return, a not-found)."""

    steps: tuple[Step, ...]
    scope: Scope
    ends: bool


def workflow_steps(body: tuple[ir.Statement, ...]) -> tuple[Step, ...]:
    """The steps of a workflow create, with every save in its place."""
    return tracked(_block(body, {}, {}).steps)


def _block(body: tuple[ir.Statement, ...], outer: Scope, bound: Scope) -> Block:
    """`bound` is what the head of the block binds, for example a loop's element."""
    scope: Scope = {**outer, **bound}
    done: list[Step] = []
    for statement in body:
        part = _statement(statement, scope)
        done += part.steps
        scope = part.scope
        if part.ends:
            return Block(tuple(done), scope, ends=True)
    return _closed(done, outer, scope)


def _closed(done: list[Step], outer: Scope, scope: Scope) -> Block:
    """The end of a block: saves what it bound, and the optional ones of around that it changed."""
    due = {
        name: held
        for name, held in scope.items()
        if name not in outer or (held.optional and held.changed > outer[name].changed)
    }
    kept = {name: outer[name] if name in due else scope[name] for name in outer}
    return Block((*done, *_saves(due)), kept, ends=False)


def _saves(scope: Scope) -> list[Step]:
    return [
        Save(name=name, aggregate=held.aggregate, conditional=_is_conditional(held))
        for name, held in scope.items()
        if held.deleted is not Sure.YES and (held.fresh or held.changed)
    ]


def _is_conditional(held: Held) -> bool:
    return held.deleted is Sure.MAYBE or not (held.fresh or held.changed is Sure.YES)


def _statement(statement: ir.Statement, scope: Scope) -> Block:
    match statement:
        case ir.ForEach() | ir.IfLet() | ir.If():
            return _nested(statement, scope)
        case ir.Return():
            return Block((*_saves(_reachable(scope)), statement), scope, ends=True)
        case ir.NotFound():
            return Block((statement,), scope, ends=True)
        case _:
            return Block((step(statement),), _after(statement, scope), ends=False)


def _reachable(scope: Scope) -> Scope:
    return {name: held for name, held in scope.items() if not held.optional or held.changed is Sure.YES}


def _after(statement: ir.Statement, scope: Scope) -> Scope:
    match statement:
        case ir.CreateInstance(name=name, aggregate=aggregate):
            return {**scope, name: Held(aggregate, fresh=True)}
        case ir.Load(name=name, read=ir.Read(aggregate=aggregate, cardinality=ir.Cardinality.ONE)):
            return {**scope, name: Held(aggregate, fresh=False)}
        case ir.Load(name=name, read=ir.Read(aggregate=aggregate, cardinality=ir.Cardinality.OPTIONAL)):
            return {**scope, name: Held(aggregate, fresh=False, optional=True)}
        case ir.Invoke(receiver=name, mutates=True) if name in scope:
            return {**scope, name: replace(scope[name], changed=Sure.YES)}
        case ir.Delete(name=name) if name in scope:
            return {**scope, name: replace(scope[name], deleted=Sure.YES)}
        case _:
            return scope


def _nested(statement: ir.ForEach | ir.IfLet | ir.If, scope: Scope) -> Block:
    match statement:
        case ir.ForEach():
            return _loop(statement, scope)
        case ir.IfLet(name=name, source=source, read=read):
            then = _block(statement.then, scope, _bound(name, source, read))
            otherwise = _block(statement.otherwise, scope, {})
            made: Step = IfPresentStep(name=name, source=source, read=read, then=then.steps, otherwise=otherwise.steps)
        case ir.If(condition=condition):
            then, otherwise = _block(statement.then, scope, {}), _block(statement.otherwise, scope, {})
            made = IfStep(condition=condition, then=then.steps, otherwise=otherwise.steps)
    if then.ends and otherwise.ends:
        return Block((made,), scope, ends=True)
    ways = [way.scope for way in (then, otherwise) if not way.ends]
    return Block((made,), _joined(scope, ways[0], ways[-1]), ends=False)


def _loop(statement: ir.ForEach, scope: Scope) -> Block:
    """What an earlier iteration may have changed is pending already when a later one begins."""
    before = _weakened(scope, statement.body)
    bound = _bound(statement.name, statement.source, statement.read)
    body = _block(statement.body, before, bound)
    made = ForEachStep(name=statement.name, source=statement.source, read=statement.read, body=body.steps)
    return Block((made,), before if body.ends else _joined(scope, before, body.scope), ends=False)


def _weakened(scope: Scope, body: tuple[ir.Statement, ...]) -> Scope:
    changed = {item.receiver for item in descendants(body) if isinstance(item, ir.Invoke) and item.mutates}
    return {
        name: replace(held, changed=max(held.changed, Sure.MAYBE)) if name in changed and not held.optional else held
        for name, held in scope.items()
    }


def _bound(name: str, source: Expr | None, read: ir.Read | None) -> Scope:
    if read is not None:
        return {name: Held(read.aggregate, fresh=False)}
    if source is not None and isinstance(source.type, ArrayType | OptionalType):
        element = source.type.of
        if isinstance(element, AggregateType):
            return {name: Held(element.ref, fresh=False)}
    return {}


def _joined(names: Scope, one: Scope, other: Scope) -> Scope:
    """What is sure after either way; `names` are those that outlive them."""
    return {name: _either(one[name], other[name]) for name in names}


def _either(one: Held, other: Held) -> Held:
    changed = one.changed if one.changed is other.changed else Sure.MAYBE
    deleted = one.deleted if one.deleted is other.deleted else Sure.MAYBE
    return replace(one, changed=changed, deleted=deleted)
