"""Timers: the events that they tell, who tells them and who hears them.

In: the system, and the signatures of its contexts. Out: diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loom.base import Diagnostic
from loom.ir import deployment
from loom.ir.delivery import Timer
from loom.lower.events import EventSignature, FieldSignature
from loom.lower.problems.delivery import TimerEventDoubt, TimerEventShape, TimerNeedsState, TimerSourceUnbound
from loom.lower.signature import ContextSignature
from loom.validate.where import Where

Signatures = Mapping[str, ContextSignature]


def timers(system: deployment.System, signatures: Signatures, where: Where) -> Iterator[Diagnostic]:
    heard = {event for context in signatures.values() for event in context.heard}
    for timer in system.timers:
        yield from _shape(timer, signatures, where)
        yield from _state(system, timer, where)
        if timer.event.name not in heard:
            yield TimerSourceUnbound(at=where(timer.name), timer=timer.name, event=timer.event.name)


def _shape(timer: Timer, signatures: Signatures, where: Where) -> Iterator[Diagnostic]:
    at, name = where(timer.name), timer.event.name
    context = signatures[timer.event.context]
    if name in context.emitted:
        yield TimerEventShape(at=at, case="emitted", event=name, timer=timer.name, context=context.name)
    event = next(item for item in context.events if item.name == name)
    for field in event.fields:
        if not _is_fillable(field):
            yield TimerEventShape(at=at, case="field", event=name, timer=timer.name, field=field.name)
    if not _says_when(event):
        yield TimerEventDoubt(at=at, case="instant", event=name, timer=timer.name)


def _is_fillable(field: FieldSignature) -> bool:
    """Of a value object nobody can say what it begins with; one of the root is as good as a scalar here."""
    return field.kind != "value" or field.is_list or field.is_optional


def _says_when(event: EventSignature) -> bool:
    return any(item.name == "at" and item.type == "datetime" and not item.is_list for item in event.fields)


def _state(system: deployment.System, timer: Timer, where: Where) -> Iterator[Diagnostic]:
    kinds = {item.name: item.kind for item in system.resources}
    for item in system.deployables:
        is_owner = timer.event.context in item.contexts
        if is_owner and not any(kinds.get(name) == "state" for name in item.resources):
            yield TimerNeedsState(at=where(item.name), deployable=item.name, timer=timer.name)
