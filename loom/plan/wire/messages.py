"""Authors' messages by their stable codes, for clients that translate them.

In: planned contexts. Out: the text of `messages.en.json`.
Never: texts that Loom itself says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from loom.plan.http import InputPlan
from loom.plan.model import ContextPlan, SharedPlan


def messages(shared: SharedPlan, contexts: Iterable[ContextPlan]) -> str:
    """Every message that an `errors[].code` can name, by code."""
    inputs = [*_shared(shared), *[item for context in contexts for item in _inputs(context)]]
    found = {check.code: check.message for item in inputs for check in item.checks if check.code}
    return json.dumps(dict(sorted(found.items())), ensure_ascii=False, indent=2) + "\n"


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
            yield from (*route.query, *(route.request.inputs if route.request else ()))
