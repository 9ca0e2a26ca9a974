"""Authors' messages by their stable codes, for clients that translate them.

In: a planned context. Out: (code, message) pairs, and the text of `messages.en.json`.
Never: texts that Loom itself says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.plan.http import InputPlan
from loom.plan.model import ContextPlan, SharedPlan
from loom.plan.wire.json_text import json_text

Messages = tuple[tuple[str, str], ...]


def messages(shared: SharedPlan, context: ContextPlan) -> Messages:
    """Every message that an `errors[].code` of the context can name."""
    inputs = (*_shared(shared), *_inputs(context))
    return tuple(sorted({(check.code, check.message) for item in inputs for check in item.checks if check.code}))


def messages_text(pairs: Iterable[tuple[str, str]]) -> str:
    return json_text(dict(sorted(pairs))) + "\n"


def _shared(shared: SharedPlan) -> Iterator[InputPlan]:
    for item in shared.value_objects:
        yield from item.inputs.inputs


def _inputs(context: ContextPlan) -> Iterator[InputPlan]:
    for item in context.value_objects:
        yield from item.inputs.inputs
    for record in context.records:
        yield from record.inputs.inputs
    for aggregate in context.aggregates:
        for part in aggregate.parts:
            yield from part.inputs.inputs
        for route in aggregate.routes:
            yield from (*route.parameters, *(route.request.inputs if route.request else ()))
