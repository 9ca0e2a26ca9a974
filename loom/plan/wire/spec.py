"""The wire contract of a whole system as JSON schema, whoever serves it.

In: shared declarations and all contexts. Out: the text of `wire-spec.json`.
Never: deployables, ports or hosts.
"""

from __future__ import annotations

import json

from loom.plan.model import ContextPlan, EventPlan, SharedPlan
from loom.plan.wire.openapi import Documented, answer_schema, documented
from loom.plan.wire.schemas import Names, Schema, answer_object, component_names, components, request_object


def wire_spec(system: str, shared: SharedPlan, contexts: tuple[ContextPlan, ...]) -> str:
    """Schemas of what is exchanged, then routes and events by context."""
    names = component_names(shared, contexts)
    document: Schema = {
        "system": system,
        "schemas": components(names, shared, contexts),
        "contexts": {context.name: _context(context, names) for context in contexts},
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _context(context: ContextPlan, names: Names) -> Schema:
    return {
        "routes": {item.route.operation_id: _route(item, names) for item in documented([context])},
        "events": {event.wire_type: _event(event, names) for event in context.events},
    }


def _route(item: Documented, names: Names) -> Schema:
    route = item.route
    found: Schema = {"method": route.method, "path": route.path, "success": route.success}
    found["refusals"] = list(item.refusals)
    if route.query:
        found["query"] = request_object(route.query, names)
    if route.request is not None:
        found["request"] = request_object(route.request.inputs, names)
    if route.success != 204:
        found["answer"] = answer_schema(route, names)
    return found


def _event(event: EventPlan, names: Names) -> Schema:
    return answer_object(event.members, names)
