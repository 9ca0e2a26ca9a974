"""All that a system's output folder holds beside its services.

In: a `SystemPlan` and the facts of the backends. Out: files. Never: a decision that the Plan has not made.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.base import Facts
from loom.emit import Emitted, File
from loom.plan.model import SystemPlan
from loom.render.compose import compose
from loom.render.readme import readme


def render(system: SystemPlan, facts: Iterable[Facts]) -> Emitted:
    """Deployment files, a page about them, and the shared descriptions below `.loom/`, sorted by path."""
    shared = (
        File(path="README.md", text=readme(system)),
        File(path=".loom/messages.en.json", text=system.messages),
        File(path=".loom/wire-spec.json", text=system.wire_spec),
    )
    return Emitted(files=tuple(sorted((*compose(system, facts), *shared), key=lambda file: file.path)))
