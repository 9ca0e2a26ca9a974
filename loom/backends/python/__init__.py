"""Services in Python: FastAPI, SQLAlchemy Core and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

from loom.backends.python.facts import FACTS
from loom.base import Facts
from loom.emit.backend import DepsLock, File
from loom.plan.model import ServicePlan

__all__ = ["BACKEND"]


class PythonBackend:
    """What the rest of Loom sees of this folder; what makes a project is loaded with the first one."""

    @property
    def facts(self) -> Facts:
        return FACTS

    def files(self, plan: ServicePlan, lock: DepsLock) -> Iterator[File]:
        from loom.backends.python.project import files

        return files(plan, lock)


BACKEND = PythonBackend()
