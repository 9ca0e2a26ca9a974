"""The two halves of a factory: what happens before there is an instance, and what happens to it.

In: the state of an aggregate and the body of its create. Out: drafts, both halves, the values of the new instance.
Never: an instance without a value that it needs.

A field that the create always sets has no value before that, so the instance is made once all of these are known.
Until then what is read, or set more than once or in a branch, is a local: a draft. Nothing uses the instance before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loom.ir.expressions import Expr, Field, FieldKind, FieldValue, Lambda, Local, Null, This
from loom.ir.members import Parameter
from loom.ir.statements import Append, Assign, CreateInstance, Emit, Invoke, Let, Remove
from loom.ir.types import code_in
from loom.plan.code.refusable import can_be_refused
from loom.plan.code.rewrite import rewrite, rewritten
from loom.plan.code.walk import every_step, reads_instance
from loom.plan.model import DraftPlan, StatePlan
from loom.plan.steps import ForEachStep, IfPresentStep, IfStep, Step

Body = tuple[Step, ...]
_OWN = (FieldKind.PROPERTY, FieldKind.CONTAINMENT)


class Halves(NamedTuple):
    """`values` are those of the new instance, one for each member; `instance` is a name that nothing else has."""

    drafts: tuple[DraftPlan, ...]
    before: Body
    values: tuple[FieldValue, ...]
    identity: str
    raised: str
    instance: str
    after: Body


def halves(name: str, state: Sequence[StatePlan], parameters: Iterable[Parameter], body: Body) -> Halves:
    """`name` is that of the aggregate."""
    names = Names(parameters, body)
    instance = names.free(name[:1].lower() + name[1:])
    at = _preparation(body, {item.name for item in state if item.initial is None})
    raised = names.free("raised") if _raises_on_some_way(body[:at]) else ""
    before, late = (body[:at], ()) if raised else _without_events(body[:at], names)
    inline = dict(_inline(before, [item.name for item in state]))
    steps = tuple(step for step in before if not (isinstance(step, Assign) and step.path[0] in inline))
    drafts = tuple(_drafts(steps, state, inline, names))
    identity = names.free(f"{instance}Id") if _reads_identity(*steps, *inline.values()) else ""
    local = _Drafts(drafts, identity)
    return Halves(
        drafts=drafts,
        before=tuple(local.step(step) for step in steps),
        values=tuple(FieldValue(name=item.name, value=local.value(item, inline)) for item in state),
        identity=identity,
        raised=raised,
        instance=instance,
        after=(*(local.step(step) for step in late), *body[at:]),
    )


class Names:
    """The names of a body, and more that are none of them."""

    def __init__(self, parameters: Iterable[Parameter], body: Body) -> None:
        self.taken = {item.name for item in parameters} | set(_bound(body))

    def free(self, name: str) -> str:
        """`name`, or one near it."""
        title = name[:1].upper() + name[1:]
        candidates = (name, f"new{title}", *(f"new{title}{number}" for number in range(2, len(self.taken) + 3)))
        chosen = next(item for item in candidates if item not in self.taken)
        self.taken.add(chosen)
        return chosen


def _bound(body: Body) -> Iterator[str]:
    for node in code_in(*body):
        match node:
            case Let(name=name) | ForEachStep(name=name) | IfPresentStep(name=name) | CreateInstance(name=name):
                yield name
            case Lambda(parameter=name) | Invoke(bind=name):
                yield name


def _preparation(body: Body, awaited: set[str]) -> int:
    """How many steps it takes until all that is awaited has a value, with the plain assignments that follow them."""
    have: set[str] = set()
    at = 0
    while at < len(body) and not awaited <= have:
        have |= _settled(body[at : at + 1])
        at += 1
    touched = _touched(body[:at])
    while at < len(body) and _is_plain(body[at]) and touched.isdisjoint(more := _touched(body[at : at + 1])):
        touched |= more
        at += 1
    return at


def _settled(steps: Iterable[Step]) -> set[str]:
    """Members that have a value after `steps`, whichever way they take."""
    found: set[str] = set()
    for step in steps:
        match step:
            case Assign(path=(name,)):
                found.add(name)
            case IfStep(then=then, otherwise=otherwise) | IfPresentStep(then=then, otherwise=otherwise):
                found |= _settled(then) & _settled(otherwise)
            case _:
                pass
    return found


def _is_plain(step: Step) -> bool:
    """Whether it sets a whole member to what reads nothing of the instance."""
    return isinstance(step, Assign) and len(step.path) == 1 and not reads_instance(step.value)


def _touched(steps: Iterable[Step]) -> set[str]:
    return {name for step in steps for name in (*assigned(step), *members_read(step))}


def assigned(step: Step) -> list[str]:
    """Members that a step, or what is nested in it, changes, once for each change."""
    names = []
    for item in every_step([step]):
        match item:
            case Assign(path=(name, *_)) | Append(field=name) | Remove(field=name):
                names.append(name)
            case _:
                pass
    return names


def members_read(root: object) -> set[str]:
    found = (node for node in code_in(root) if isinstance(node, Field) and isinstance(node.receiver, This))
    return {node.name for node in found if node.kind in _OWN}


def _raises_on_some_way(before: Body) -> bool:
    """Whether an event within `before` is raised on some of its ways alone."""
    return any(isinstance(step, Emit) for step in every_step(before) if step not in before)


def _reads_identity(*roots: object) -> bool:
    return any(_is_identity(node) for node in code_in(*roots))


def _is_identity(node: object) -> bool:
    return isinstance(node, Field) and node.kind is FieldKind.ID and isinstance(node.receiver, This)


def _without_events(before: Body, names: Names) -> tuple[Body, Body]:
    """Events are told of an instance: they wait for it, with the values that they were raised with."""
    steps: list[Step] = []
    late: list[Step] = []
    for step in before:
        if isinstance(step, Emit):
            kept = [_kept(item, names) for item in step.fields]
            steps += [let for let, _ in kept if let is not None]
            late.append(step.model_copy(update={"fields": tuple(item for _, item in kept)}))
        else:
            steps.append(step)
    return tuple(steps), tuple(late)


def _kept(item: FieldValue, names: Names) -> tuple[Let | None, FieldValue]:
    if not can_be_refused(item.value) and not members_read(item.value):
        return None, item
    name = names.free(item.name)
    local = Local(type=item.value.type, name=name)
    return Let(name=name, value=item.value), FieldValue(name=item.name, value=local)


def _inline(before: Body, order: list[str]) -> Iterator[tuple[str, Expr]]:
    """Assignments whose value may as well be found when the instance is made: nobody waits for it or could tell."""
    uses = [(*assigned(step), *members_read(step)) for step in before]
    counts = {name: sum(each.count(name) for each in uses) for name in order}
    last, only_assignments = len(order), True
    for step in reversed(before):
        if not (isinstance(step, Assign) and len(step.path) == 1 and counts[step.path[0]] == 1):
            only_assignments = False
            continue
        name, value = step.path[0], step.value
        refusable, place = can_be_refused(value), order.index(name)
        if not refusable and not members_read(value):
            yield name, value
        elif only_assignments and (not refusable or place < last):
            last = place if refusable else last
            yield name, value
        else:
            only_assignments = False


def _drafts(steps: Body, state: Iterable[StatePlan], inline: dict[str, Expr], names: Names) -> Iterator[DraftPlan]:
    touches = [_touched([step]) for step in steps]
    touched = set().union(*touches, *map(members_read, inline.values()))
    changes = [name for step in steps for name in assigned(step)]
    for item in state:
        if item.name in touched:
            first = next((step for step, its in zip(steps, touches, strict=True) if item.name in its), None)
            is_set = isinstance(first, Assign) and first.path == (item.name,) and item.name not in members_read(first)
            yield DraftPlan(
                name=item.name,
                local=names.free(item.name),
                type=item.type,
                initial=None if is_set else item.initial,
                is_constant=changes.count(item.name) == int(is_set),
            )


class _Drafts:
    """Steps and values in which what is read of the instance are drafts, and its id is a local where it has a name."""

    def __init__(self, drafts: Iterable[DraftPlan], identity: str) -> None:
        self.locals = {item.name: item.local for item in drafts}
        self.identity = identity

    def step(self, step: Step) -> Step:
        return rewritten(step, self.read) if members_read(step) or (self.identity and _reads_identity(step)) else step

    def value(self, item: StatePlan, inline: dict[str, Expr]) -> Expr:
        if item.name in inline:
            return rewrite(inline[item.name], self.read)
        if item.name in self.locals:
            return Local(type=item.type, name=self.locals[item.name])
        return Null(type=item.type) if item.initial is None else item.initial

    def read(self, e: Expr) -> Expr:
        if isinstance(e, Field) and isinstance(e.receiver, This) and e.kind in _OWN:
            return Local(type=e.type, name=self.locals[e.name])
        if self.identity and _is_identity(e):
            return Local(type=e.type, name=self.identity)
        return e
