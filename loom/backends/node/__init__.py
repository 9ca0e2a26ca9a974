"""The Node backend: TypeScript services on Hono, drizzle and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

from loom.backends.node.facts import FACTS
from loom.base import Facts
from loom.emit.backend import DepsLock, File
from loom.plan.model import ServicePlan

__all__ = ["BACKEND"]


class NodeBackend:
    """What the rest of Loom sees of this folder; what makes a project is loaded with the first one."""

    @property
    def facts(self) -> Facts:
        return FACTS

    def files(self, plan: ServicePlan, lock: DepsLock) -> Iterator[File]:
        from loom.backends.node.backend import files

        return files(plan, lock)


BACKEND = NodeBackend()
