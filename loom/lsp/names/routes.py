"""What `api` means in an end-to-end test: the generated routes, under the names that the model gives them.

In: a `Root`. Out: one declaration whose members are the routes of aggregates and workflows.
Never: a place of its own: a route stands where what it leads to was declared.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import camel, plural, words
from loom.lsp.names.declared import Declared, Home, Root, Site, Type

WORKFLOWS = "workflows"


def api(root: Root) -> Declared:
    made = Declared("route", "api", Site("", ""), 0)
    workflows = Declared("route", WORKFLOWS, Site("", ""), 0)
    for home in root.homes.values():
        for item in home.types.values():
            if item.kind == "aggregate":
                route = _leading_to(item, route_name(item.name, item.kind))
                route.members = dict(_methods(item, home))
                made.members.setdefault(route.name, route)
            elif item.kind == "workflow":
                workflows.members.setdefault(route_name(item.name, item.kind), _workflow(item))
    workflows.inferred = Type(WORKFLOWS, workflows)
    made.members.setdefault(WORKFLOWS, workflows)
    made.inferred = Type("api", made)
    return made


def route_name(name: str, kind: str) -> str:
    """As a test writes it; empty for what has no route."""
    match kind:
        case "aggregate":
            return camel(plural(words(name)))
        case "workflow":
            return camel(words(name))
        case _:
            return ""


def _leading_to(item: Declared, name: str) -> Declared:
    made = Declared("route", name, item.site, item.at, item.home, item.parent)
    made.inferred = Type(name, made)
    return made


def _methods(aggregate: Declared, home: Home) -> Iterator[tuple[str, Declared]]:
    """Operations and finds; `create`, `update` and `getById` also where nobody wrote them."""
    properties = tuple(item for item in aggregate.members.values() if item.kind == "property")
    for name in ("create", "update", "getById"):
        made = _leading_to(aggregate, name)
        made.parameters = () if name == "getById" else properties
        made.inferred = Type(aggregate.name, aggregate)
        yield name, made
    yield from ((name, item) for name, item in aggregate.members.items() if item.kind in ("operation", "create"))
    for other in home.types.values():
        if other.kind == "repository" and other.type is not None and other.type.name == aggregate.name:
            yield from other.members.items()


def _workflow(item: Declared) -> Declared:
    """Called, it is the canonical `create`; the others are its members."""
    made = _leading_to(item, route_name(item.name, item.kind))
    made.members = {name: member for name, member in item.members.items() if member.kind == "create" and member.name}
    made.parameters = item.members["create"].parameters if "create" in item.members else ()
    return made
