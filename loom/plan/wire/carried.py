"""Which values a service takes in requests, and which it shows in answers.

In: the contexts of a service and what they share. Out: their types, with all that they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from loom.ir.types import ArrayType, OptionalType, PageType, PartType, RecordType, Type, ValueObjectType
from loom.plan.http import RoutePlan
from loom.plan.model import ContextPlan, PartPlan, RecordPlan, SharedPlan, Structured, ValueObjectPlan

Declaration = ValueObjectPlan | PartPlan | RecordPlan


def requested(contexts: Iterable[ContextPlan], shared: SharedPlan) -> tuple[Structured, ...]:
    """Value objects and parts that some request holds."""
    contexts = tuple(contexts)
    inputs = [item.type for route in _routes(contexts) if route.request for item in route.request.inputs]
    return _closure(inputs, declarations(contexts, shared), lambda found: [item.type for item in found.inputs.inputs])


def answered(contexts: Iterable[ContextPlan], shared: SharedPlan) -> tuple[Structured, ...]:
    """Value objects, parts and records that some answer holds."""
    contexts = tuple(contexts)
    shown = [member.type for context in contexts for item in context.aggregates for member in item.members]
    shown += [route.responds for route in _routes(contexts)]
    return _closure(shown, declarations(contexts, shared), lambda found: [item.type for item in found.members])


def declarations(contexts: Iterable[ContextPlan], shared: SharedPlan) -> dict[Type, Declaration]:
    found: dict[Type, Declaration] = {ValueObjectType(ref=item.ref): item for item in shared.value_objects}
    for context in contexts:
        found |= {ValueObjectType(ref=item.ref): item for item in context.value_objects}
        found |= {RecordType(ref=item.ref): item for item in context.records}
        for aggregate in context.aggregates:
            found |= {PartType(aggregate=aggregate.ref, name=item.name): item for item in aggregate.parts}
    return found


def _routes(contexts: Iterable[ContextPlan]) -> Iterator[RoutePlan]:
    for context in contexts:
        yield from (route for aggregate in context.aggregates for route in aggregate.routes)
        yield from (create.route for workflow in context.workflows for create in workflow.creates)


def _closure(
    kinds: Iterable[Type], declared: Mapping[Type, Declaration], held: Callable[[Declaration], list[Type]]
) -> tuple[Structured, ...]:
    """The kinds that have members, with those that they hold."""
    found: dict[Structured, None] = {}
    pending = list(kinds)
    while pending:
        kind = bare(pending.pop())
        if isinstance(kind, Structured) and kind not in found:
            found[kind] = None
            pending += held(declared[kind])
    return tuple(found)


def bare(kind: Type) -> Type:
    """`kind` without optional, array and page around it."""
    while isinstance(kind, OptionalType | ArrayType | PageType):
        kind = kind.of
    return kind
