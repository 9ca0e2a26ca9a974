"""Mistakes in which service answers an api that another one calls."""

from __future__ import annotations

from loom.base import Diagnostic


class ResourceApiUnserved(Diagnostic):
    """No deployable serves an api that a resource calls."""

    message = "no deployable serves `{api}`, which `{resource}` calls"
    help = "add it to the `serves:` of one"

    resource: str
    api: str


class ResourceApiAmbiguousServer(Diagnostic):
    """Several deployables serve an api that a resource calls: which of them it calls is not clear."""

    message = "`{api}` is served by {servers}"
    help = "let one deployable serve it"

    api: str
    servers: str


class ResourceApiSelfCall(Diagnostic):
    """A service would call itself over the network."""

    message = "`{deployable}` serves `{api}` and would call it through `{resource}`"
    help = "remove `{resource}` from its `dataSources:`, and use the context itself"

    resource: str
    api: str
    deployable: str
