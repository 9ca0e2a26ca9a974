"""The wire contract of one context as JSON schema, whoever serves it.

In: a planned context and what it uses of the model's root. Out: ContextWire.
Never: deployables, ports or hosts.
"""

from __future__ import annotations

from loom.base import Value
from loom.plan.model import ContextPlan, SharedPlan
from loom.plan.wire.json_text import json_text
from loom.plan.wire.messages import Messages, messages
from loom.plan.wire.openapi import Documented, answer_schema, documented
from loom.plan.wire.schemas import Names, Schema, answer_object, component_names, components, request_object

# Where a context stands in `wire-spec.json`.
DEPTH = 4


class ContextWire(Value):
    """One context's share of `wire-spec.json` (text, indented for its place) and of `messages.en.json`."""

    context: str
    spec: str
    messages: Messages


def context_wire(context: ContextPlan, shared: SharedPlan) -> ContextWire:
    """`shared` is what the context uses."""
    return ContextWire(context=context.name, spec=_spec(context, shared), messages=messages(shared, context))


def wire_spec(system: str, contexts: tuple[ContextWire, ...]) -> str:
    """The text of `wire-spec.json`."""
    members = ",\n".join(f"    {json_text(item.context)}: {item.spec}" for item in contexts)
    return f'{{\n  "system": {json_text(system)},\n  "contexts": {{\n{members}\n  }}\n}}\n'


def _spec(context: ContextPlan, shared: SharedPlan) -> str:
    names = component_names(shared, [context])
    document: Schema = {
        "routes": {item.route.operation_id: _route(item, names) for item in documented([context])},
        "events": {event.wire_type: answer_object(event.members, names) for event in context.events},
        "schemas": components(names, shared, [context]),
    }
    return json_text(document, DEPTH)


def _route(item: Documented, names: Names) -> Schema:
    route = item.route
    found: Schema = {"method": route.method, "path": route.path, "success": route.success}
    found["refusals"] = list(item.refusals)
    if route.parameters:
        found["query"] = request_object(route.parameters, names)
    if route.request is not None:
        found["request"] = request_object(route.request.inputs, names)
    if route.success != 204:
        found["answer"] = answer_schema(route, names)
    return found
