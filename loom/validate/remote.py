"""Resources that are apis of the system: which service answers them.

In: the system. Out: diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Diagnostic
from loom.ir import deployment
from loom.lower.problems.remote import ResourceApiAmbiguousServer, ResourceApiSelfCall, ResourceApiUnserved
from loom.validate.where import Where


def servers(system: deployment.System, where: Where) -> Iterator[Diagnostic]:
    """An api that is called has one server, which does not call itself."""
    apis = {item.name for item in system.apis}
    for item in system.resources:
        if item.kind != "api" or item.storage not in apis:
            continue
        serving = [one.name for one in system.deployables if item.storage in one.serves]
        if not serving:
            yield ResourceApiUnserved(at=where(item.name), resource=item.name, api=item.storage)
        elif len(serving) > 1:
            names = " and ".join(f"`{name}`" for name in serving)
            yield ResourceApiAmbiguousServer(at=where(item.name), api=item.storage, servers=names)
        else:
            yield from _self_calls(system, item, serving[0], where)


def _self_calls(
    system: deployment.System, item: deployment.Resource, server: str, where: Where
) -> Iterator[Diagnostic]:
    for one in system.deployables:
        if one.name == server and item.name in one.resources:
            yield ResourceApiSelfCall(at=where(item.name), resource=item.name, api=item.storage, deployable=server)
