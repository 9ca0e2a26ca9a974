"""Stamps, written out at the end of whatever saves.

In: the stamps of an aggregate, and lowered bodies. Out: those bodies with the assignments in them; what cannot be
written out, because it reads the instance and so must run once a save, stays a stamp.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from loom.base import Feature, descendants
from loom.ir import statements as steps
from loom.ir.expressions import This
from loom.ir.persistence import Stamp
from loom.ir.statements import Statement
from loom.lower.bodies.statements import block
from loom.lower.expansion import assigned_by
from loom.lower.problems.sourcing import StampOnEventSourcedInvalid
from loom.lower.scope.aggregates import is_event_sourced
from loom.lower.scope.frames import Body, Frame
from loom.parse import ast

Assigns = tuple[steps.Assign, ...]


class Stamps(msgspec.Struct, frozen=True):
    """What a create and what an operation that changes something end with; `kept` are the others.

    `names` are the fields that stamps mean to set, also those that do it wrongly.
    """

    created: Assigns = ()
    updated: Assigns = ()
    kept: tuple[Stamp, ...] = ()
    names: frozenset[str] = frozenset()


def stamps(frame: Frame, declared: ast.Aggregate) -> Stamps:
    found = [item for item in declared.members if isinstance(item, ast.Stamp)]
    if found and is_event_sourced(declared):
        frame.report(StampOnEventSourcedInvalid(at=frame.at(found[0].at), owner=declared.name))
        return Stamps()
    made = [(item, assign) for item in found for assign in _assigns(frame, item)]
    kept = [(item, assign) for item, assign in made if _reads_instance(assign)]
    for item, _ in kept:
        frame.scope.source.use(item.at, Feature.STAMPS)
    plain = [(item, assign) for item, assign in made if not _reads_instance(assign)]
    return Stamps(
        names=frozenset(name for item in found for name in assigned_by(item)),
        created=tuple(assign for _, assign in plain),
        updated=tuple(assign for item, assign in plain if not _is_first(item)),
        kept=tuple(
            Stamp(once=_is_first(item), path=assign.path, type=assign.type, value=assign.value) for item, assign in kept
        ),
    )


def _is_first(declared: ast.Stamp) -> bool:
    return declared.event.name == "onCreate"


def _assigns(frame: Frame, declared: ast.Stamp) -> Assigns:
    body = Body.FIRST_STAMP if _is_first(declared) else Body.STAMP
    return tuple(item for item in block(frame.within(body), declared.body) if isinstance(item, steps.Assign))


def _reads_instance(assign: steps.Assign) -> bool:
    return any(isinstance(node, This) for node in descendants(assign.value))


def stamped(body: tuple[Statement, ...], added: Assigns) -> tuple[Statement, ...]:
    """`body` with `added` on every way out of it."""
    if not added:
        return body
    inside = tuple(part for statement in body for part in _before_returns(statement, added))
    return inside if _always_returns(body) else (*inside, *added)


def _before_returns(statement: Statement, added: Assigns) -> Iterable[Statement]:
    match statement:
        case steps.Return():
            return (*added, statement)
        case steps.If() | steps.IfLet():
            then, otherwise = _inside(statement.then, added), _inside(statement.otherwise, added)
            return (statement.model_copy(update={"then": then, "otherwise": otherwise}),)
        case steps.ForEach():
            return (statement.model_copy(update={"body": _inside(statement.body, added)}),)
        case _:
            return (statement,)


def _inside(body: tuple[Statement, ...], added: Assigns) -> tuple[Statement, ...]:
    return tuple(part for statement in body for part in _before_returns(statement, added))


def _always_returns(body: tuple[Statement, ...]) -> bool:
    for statement in body:
        match statement:
            case steps.Return():
                return True
            case steps.If(then=then, otherwise=otherwise) | steps.IfLet(then=then, otherwise=otherwise):
                if _always_returns(then) and _always_returns(otherwise):
                    return True
    return False
