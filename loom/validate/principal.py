"""Deployables without authentication that host what reads `currentUser`.

In: the system, and what its contexts use. Out: diagnostics, where the contexts read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loom.base import Diagnostic, Feature
from loom.ir import deployment
from loom.ir.uses import Uses
from loom.validate.problems import ContextFilterUnsupported, GuardPrincipalWithoutAuth, StampPrincipalWithoutAuth

Asking = type[ContextFilterUnsupported] | type[GuardPrincipalWithoutAuth] | type[StampPrincipalWithoutAuth]

_ASKING: Mapping[Feature, Asking] = {
    Feature.CURRENT_USER: GuardPrincipalWithoutAuth,
    Feature.CURRENT_USER_IN_STAMPS: StampPrincipalWithoutAuth,
    Feature.CURRENT_USER_IN_READS: ContextFilterUnsupported,
}


def unauthenticated(system: deployment.System, uses: Mapping[str, Uses]) -> Iterator[Diagnostic]:
    """`uses` are those of each context."""
    for deployable in system.deployables:
        if deployable.authenticated:
            continue
        for context in deployable.contexts:
            for use in uses[context].entries if context in uses else ():
                if (asking := _ASKING.get(use.feature)) is not None:
                    yield asking(at=use.at, deployable=deployable.name)
